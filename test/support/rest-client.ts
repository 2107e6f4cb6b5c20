import { renderOpenApiDocument } from "@hostledger/gateway";
import { checkResponsesBy } from "@hostledger/gateway/testing";
import { defined } from "@hostledger/runtime";

/** An answer of the REST API. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A customer at the REST API, or anyone without a key. */
export interface RestClient {
  get(path: string): Promise<RestAnswer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<RestAnswer>;
  put(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<RestAnswer>;
  delete(path: string): Promise<RestAnswer>;
  /** Sends any request with its body unchanged. */
  send(path: string, init: RequestInit): Promise<RestAnswer>;
}

const problemsOf = checkResponsesBy(JSON.parse(renderOpenApiDocument()));

/**
 * Speaks to `baseUrl` with the key, if there is one. Every answer is compared with the OpenAPI document.
 * @throws Error, from any call, when an answer is none that the document describes.
 */
export function restClient(baseUrl: string, apiKey?: string): RestClient {
  const identity = defined({ authorization: apiKey });
  async function send(path: string, init: RequestInit): Promise<RestAnswer> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(identity)) if (!headers.has(name)) headers.set(name, value);
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const text = await response.text();
    // A file is represented by its text, which is enough to compare files.
    const isFile = !/^application\/json\b/.test(response.headers.get("content-type") ?? "application/json");
    const body: unknown = text === "" ? undefined : isFile ? text : JSON.parse(text);
    const answer = { status: response.status, headers: response.headers, body };
    const method = init.method ?? "GET";
    const problems = problemsOf({ method, path, ...answer });
    if (problems.length === 0) return answer;
    const what = `${method} ${path} answers ${String(answer.status)} ${text.slice(0, 500)}`;
    throw new Error(`${what}, which the OpenAPI document does not describe: ${problems.join("; ")}`);
  }
  const json =
    (method: string) =>
    (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RestAnswer> =>
      send(path, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
  return {
    send,
    get: (path) => send(path, {}),
    post: json("POST"),
    put: json("PUT"),
    delete: (path) => send(path, { method: "DELETE" }),
  };
}
