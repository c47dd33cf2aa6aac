// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A part that fails by a fault of ours says so in its place; the rest of the page goes on.
import { Component, type ComponentChildren } from "preact";
import { Refused } from "@/widgets/wait";

interface GuardProps {
  // A new value gives the part another try.
  about: string;
  children: ComponentChildren;
}

export class Guard extends Component<GuardProps, { failure: string | null; about: string }> {
  override state = { failure: null as string | null, about: this.props.about };

  override componentDidCatch(reason: unknown): void {
    console.error(reason);
    this.setState({ failure: reason instanceof Error ? reason.message : String(reason), about: this.props.about });
  }

  override render() {
    const { failure, about } = this.state;
    if (failure === null || about !== this.props.about) return this.props.children;
    return (
      <Refused
        text={`This part of the page failed: ${failure}`}
        again={() => this.setState({ failure: null, about: this.props.about })}
      />
    );
  }
}
