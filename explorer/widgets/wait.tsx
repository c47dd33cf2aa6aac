// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands where an answer is missing: on its way, refused, or not there.
import type { ComponentChildren } from "preact";
import type { Answer } from "@/base/answer";

interface WaitProps<T> {
  answer: Answer<T>;
  children: (value: T) => ComponentChildren;
}

// The last value stays in view while the next is on its way.
export function Wait<T>({ answer, children }: WaitProps<T>) {
  if (answer.error !== null) return <Refused text={answer.error} again={answer.again} />;
  if (answer.value !== null) {
    return (
      <div class={answer.loading ? "wait loading" : "wait"} aria-busy={answer.loading}>
        {children(answer.value)}
      </div>
    );
  }
  return (
    <p class="notice" role="status">
      Asking …
    </p>
  );
}

export function Refused({ text, again }: { text: string; again?: () => void }) {
  return (
    <div class="notice failed" role="alert">
      <span>{sentence(text)}</span>
      {again && (
        <button type="button" class="button small" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
