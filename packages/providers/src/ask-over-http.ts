import { timeoutSignal } from "@hostledger/runtime/async";
import { errorCodeOf } from "@hostledger/runtime/error-code";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Time limit of the whole answer, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Outcome of a request. Messages do not contain the sent data. */
export type HttpAnswer =
  | { readonly kind: "answered"; readonly status: number; readonly mediaType: string; readonly text: string }
  /** No connection was made, so nothing was sent. */
  | { readonly kind: "unreachable"; readonly message: string }
  /** Something was sent, but no complete answer arrived. */
  | {
      readonly kind: "lost";
      readonly message: string;
      /** True if the connection broke before the time limit. */
      readonly isBroken?: boolean;
    };

/** Maximum bytes of an answer; far more than a zone of a thousand records. */
const longestAnswer = 9_999_999;

/** Error codes that mean no connection was made (node:dns, node:net, node:tls). */
const notConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|\w+_CERT_?\w*|DEPTH_ZERO_\w+|UNABLE_TO_\w+|ERR_TLS_\w+)$/;

/** Sends a request with limits on size and time. Follows no redirects, because the request has a credential. */
export async function askOverHttp(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await askOnce(request);
  // A read whose connection broke is repeated once, because it changes nothing.
  return request.method === "GET" && answer.kind === "lost" && answer.isBroken === true
    ? askOnce(request)
    : answer;
}

async function askOnce(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers, body, timeLimitMs } = request;
  try {
    const response = await fetch(url, {
      method,
      headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      signal: timeoutSignal(timeLimitMs),
    });
    const text = await boundedText(response);
    if (text === undefined)
      return { kind: "lost", message: `The answer has more than ${String(longestAnswer)} octets.` };
    const [mediaType = ""] = (response.headers.get("content-type") ?? "").split(";");
    return { kind: "answered", status: response.status, mediaType: mediaType.trim().toLowerCase(), text };
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return { kind: "lost", message: `No whole answer came within ${String(timeLimitMs)} ms.` };
    const { code, isUnsent } = connectionFailure(error);
    return isUnsent
      ? { kind: "unreachable", message: `No connection to ${url.host} could be made (${code}).` }
      : { kind: "lost", message: `The connection to ${url.host} broke off (${code}).`, isBroken: true };
  }
}

/** @returns undefined if the text exceeds the limit; the remainder is not read. */
async function boundedText({ body }: Response): Promise<string | undefined> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (length > longestAnswer) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns why a `fetch` failed, and whether nothing was sent, because no connection was made. */
export function connectionFailure(error: unknown): { readonly code: string; readonly isUnsent: boolean } {
  const code = codeOf(error);
  return { code, isUnsent: notConnected.test(code) };
}

/** Returns the error code of a failed `fetch`, which may be in a cause or in the first of several attempts. */
function codeOf(error: unknown, depth = 4): string {
  if (!(error instanceof Error) || depth === 0) return "unknown error";
  const own = errorCodeOf(error);
  if (own !== undefined) return own;
  if (error instanceof AggregateError) return codeOf(error.errors[0], depth - 1);
  return error.cause === undefined ? error.name : codeOf(error.cause, depth - 1);
}

/** Parses JSON; returns undefined if the text is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
