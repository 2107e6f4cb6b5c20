import { tooManyFailures } from "../interceptors/failed-authentications.ts";
import type { MetricsAccess } from "./metrics-access.ts";
import { readinessPath, servingHeader, servingPath } from "./probe.ts";
import type { ListenerPhase, Readiness } from "./readiness.ts";

/** Common part of HTTP/1.1 and HTTP/2 requests that is used here. */
export interface AnyRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: { readonly authorization?: string | undefined };
}

/** The same of responses. */
export interface AnyResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** State of the listener for its own answers. */
export interface OwnState {
  readonly phase: ListenerPhase;
  /** The page at `/`, for a person with a browser; without it there is no such path. */
  readonly home?: (() => string) | undefined;
  /** Decides whether the caller may see the names of the parts. */
  readonly access: () => Promise<MetricsAccess>;
  readiness(): Promise<Readiness>;
}

/**
 * Answers supervisors, load balancers and callers about the listener, without a token. `/healthz`: the process
 * lives; a header says whether it accepts calls. `/readyz`: it should get requests; staff see what is missing.
 * @returns false for any other path, which another handler must answer.
 */
export function answersItself(request: AnyRequest, response: AnyResponse, own: OwnState): boolean {
  const [path] = (request.url ?? "").split("?", 1);
  const home = path === "/" ? own.home : undefined;
  if (path !== servingPath && path !== readinessPath && home === undefined) return false;
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    answerJson(response, 405, { status: "method-not-allowed" });
  } else if (home !== undefined) {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("cache-control", "no-store");
    response.setHeader("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
    response.setHeader("x-content-type-options", "nosniff");
    response.statusCode = 200;
    response.end(home());
  } else if (path === servingPath) {
    response.setHeader(servingHeader, own.phase === "serving" ? "yes" : "no");
    answerJson(response, 200, { status: "ok" });
  } else {
    void answerReadiness(request, response, own);
  }
  return true;
}

/** Callers without a credential get the same answer and are not counted, because supervisors ask constantly. */
async function answerReadiness(request: AnyRequest, response: AnyResponse, own: OwnState): Promise<void> {
  const access = request.headers.authorization === undefined ? undefined : await own.access();
  if (access?.kind === "limited") {
    response.setHeader("retry-after", String(access.retryAfterSeconds));
    answerJson(response, 429, { error: tooManyFailures(access.retryAfterSeconds) });
    return;
  }
  const { ready, parts } = await own.readiness();
  answerJson(response, ready ? 200 : 503, access?.kind === "allowed" ? { ready, parts } : { ready });
}

/** Refuses a call that was not taken, in words that Connect, gRPC and gRPC-Web all read as Unavailable. */
export function refuseCall(response: AnyResponse, phase: ListenerPhase): void {
  answerJson(response, 503, { code: "unavailable", message: `the server is ${phase}` });
}

/** Refuses a request that names no host there could be, or more than one. */
export function refuseHost(response: AnyResponse, message = "the request names no host"): void {
  answerJson(response, 400, { code: "invalid_argument", message });
}

/** Refuses a request whose body did not arrive completely. */
export function refuseLate(response: AnyResponse): void {
  answerJson(response, 408, { code: "deadline_exceeded", message: "the request did not end in time" });
}

/** Refuses a path that is no method. */
export function refuseUnknown(_request: AnyRequest, response: AnyResponse): void {
  answerJson(response, 404, { code: "unimplemented", message: "there is no such method" });
}

function answerJson(response: AnyResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.end(JSON.stringify(body));
}
