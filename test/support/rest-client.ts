/** An answer of the REST API. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A customer at the REST API, or anyone without a key. */
export interface RestClient {
  get(path: string): Promise<RestAnswer>;
  post(path: string, body: unknown): Promise<RestAnswer>;
  /** Any request: the body is sent as it is. */
  send(path: string, init: RequestInit): Promise<RestAnswer>;
}

/** Speaks to `baseUrl` with the key, if there is one. */
export function restClient(baseUrl: string, apiKey?: string): RestClient {
  const identity = apiKey === undefined ? {} : { authorization: apiKey };
  async function send(path: string, init: RequestInit): Promise<RestAnswer> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(identity)) if (!headers.has(name)) headers.set(name, value);
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }
  return {
    send,
    get: (path) => send(path, {}),
    post: (path, body) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}
