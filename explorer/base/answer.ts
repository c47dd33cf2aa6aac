// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A hook for what has to be asked for: the answer, that it is on its way, or the sentence why there is none. The last answer
// stays while the next one is on its way, so that nothing flickers; a question that is no longer asked is aborted.
import { useEffect, useState } from "preact/hooks";

export interface Answer<T> {
  value: T | null;
  loading: boolean;
  error: string | null;
  // The status of a refusal, where it has one.
  status: number | null;
  again(): void;
}

export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | null, inputs: unknown[]): Answer<T> {
  const [state, setState] = useState<Omit<Answer<T>, "again">>({
    value: null,
    loading: ask !== null,
    error: null,
    status: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!ask) {
      setState({ value: null, loading: false, error: null, status: null });
      return;
    }
    const stop = new AbortController();
    setState((old) => ({ ...old, loading: true, error: null, status: null }));
    ask(stop.signal).then(
      (value) => {
        if (!stop.signal.aborted) setState({ value, loading: false, error: null, status: null });
      },
      (failure: unknown) => {
        if (stop.signal.aborted) return;
        const status = (failure as { status?: unknown }).status;
        setState({
          value: null,
          loading: false,
          error: failure instanceof Error ? failure.message : String(failure),
          status: typeof status === "number" ? status : null,
        });
      },
    );
    return () => stop.abort();
  }, [...inputs, turn]);
  return { ...state, again: () => setTurn((n) => n + 1) };
}
