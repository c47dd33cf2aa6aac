// SPDX-FileCopyrightText: The Lanewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Requests and their failures; knows no address.

// The server's sentence, and its status; status 0: the server did not answer at all.
export class ServerError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
    this.name = "ServerError";
  }
}

export interface Call {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: unknown;
  signal?: AbortSignal;
}

export interface Transport {
  json<T>(call: Call): Promise<T>;
  bytes(call: Call): Promise<ArrayBuffer>;
}

export function isAbort(failure: unknown): boolean {
  return failure instanceof DOMException && failure.name === "AbortError";
}

export function transport(base: string): Transport {
  const send = async (call: Call): Promise<Response> => {
    const init: RequestInit = { method: call.method, credentials: "same-origin", cache: "no-store" };
    if (call.signal) init.signal = call.signal;
    if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      init.headers = { "Content-Type": "application/json" };
    }
    let answer: Response;
    try {
      answer = await fetch(new URL(call.path, base), init);
    } catch (failure) {
      if (isAbort(failure)) throw failure;
      throw new ServerError(0, "The server does not answer. Is `lanewise open` still running?");
    }
    if (!answer.ok) throw new ServerError(answer.status, sentence(await answer.text(), answer.status));
    return answer;
  };
  return {
    async json<T>(call: Call): Promise<T> {
      return (await (await send(call)).json()) as T;
    },
    bytes: async (call) => (await send(call)).arrayBuffer(),
  };
}

// Sends one file as the body. XMLHttpRequest, because fetch does not tell how much has been sent.
export function sendFile<T>(
  address: string,
  file: Blob,
  progress?: (sent: number, total: number) => void,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.responseType = "text";
    request.setRequestHeader("Content-Type", "application/octet-stream");
    if (progress) request.upload.onprogress = (event) => progress(event.loaded, event.total);
    request.onload = () => {
      if (request.status < 200 || request.status > 299) {
        reject(new ServerError(request.status, sentence(request.responseText, request.status)));
        return;
      }
      try {
        resolve(JSON.parse(request.responseText) as T);
      } catch {
        reject(new ServerError(request.status, "The server's answer to the upload is not readable."));
      }
    };
    request.onerror = () => reject(new ServerError(0, "The upload broke off: the server closed the connection."));
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
}

function sentence(text: string, status: number): string {
  try {
    const said: unknown = JSON.parse(text).error;
    if (typeof said === "string" && said !== "") return said;
  } catch {
    // Not JSON: a proxy in between; its status says more than its page.
  }
  return `The server answered with status ${status}.`;
}
