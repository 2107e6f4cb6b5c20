import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { Code, ConnectError } from "@connectrpc/connect";
import {
  auditorInterceptors,
  connectHandler,
  route,
  type RpcLogger,
  type ServiceImplementation,
} from "@hostledger/rpc";

import { sessionAuthorization, type Auditors } from "../credentials/auditors.ts";
import { signInPaths, type SignIn } from "../sign-in/sign-in.ts";
import { refuse, refuseGuesser } from "./refuse.ts";

export const auditPaths = { root: "/audit", rpc: "/audit/rpc", log: "/audit/log" } as const;

/** Largest accepted request in bytes; useful requests are a tenth of it. */
const requestBytes = 65_536;

const notFoundText = JSON.stringify({ code: "not_found", message: "There is nothing at this path." });

export interface AuditHttpOptions {
  readonly auditors: Auditors;
  readonly services: readonly ServiceImplementation[];
  readonly logger: RpcLogger;
  readonly log?: RequestListener | undefined;
  /** Sign-in of staff to the console at an identity provider. */
  readonly signIn?: SignIn | undefined;
  readonly console?: RequestListener | undefined;
  /** Counts a failed authentication. @returns seconds to wait if there were too many. */
  readonly countFailure?: ((request: IncomingMessage) => Promise<number | undefined>) | undefined;
  /** Ends streams when the service stops. */
  readonly shutdownSignal: AbortSignal;
}

/** Answers requests under `/audit`: Connect for auditors, the files of the log, and the console. */
export function auditHttp(options: AuditHttpOptions): RequestListener {
  const { auditors, services, logger, log = notFound, console = notFound, signIn } = options;
  const interceptors = auditorInterceptors({
    logger,
    identify: (authorization) => auditors.identify(authorization),
  });
  const rpc = connectHandler({
    requestPathPrefix: auditPaths.rpc,
    readMaxBytes: requestBytes,
    shutdownSignal: options.shutdownSignal,
    grpc: false,
    grpcWeb: false,
    routes(router) {
      route(router, services, interceptors);
    },
    fallback: (_request, response) => {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(notFoundText);
    },
  });
  return (request, response) => {
    // Not parsed as a URL, because a client may send a path that is none, for example `//`.
    const [pathname = ""] = (request.url ?? "").split("?", 1);
    if (isUnder(pathname, auditPaths.rpc)) {
      void answerRpc({ ...options, rpc }, request, response);
      return;
    }
    if (isUnder(pathname, auditPaths.log)) log(request, response);
    else if (signInRoutes.has(pathname) && signIn !== undefined) signIn.http(request, response);
    else if (pathname === signInPaths.session) answerNoSignIn(response);
    else if (isUnder(pathname, auditPaths.root)) console(request, response);
    else notFound(request, response);
  };
}

/**
 * Checks the credential before the request is read. Connect would answer a stream with 200 and refuse at its end, without
 * the challenge that HTTP requires.
 */
async function answerRpc(
  {
    auditors,
    logger,
    rpc,
    signIn,
    countFailure,
  }: Pick<AuditHttpOptions, "auditors" | "logger" | "signIn" | "countFailure"> & {
    readonly rpc: RequestListener;
  },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A cookie counts only without a credential, and only from the console's own pages.
  const sessionId = request.headers.authorization === undefined ? signIn?.sessionOf(request) : undefined;
  if (sessionId !== undefined) request.headers.authorization = sessionAuthorization(sessionId);
  try {
    await auditors.identify(request.headers.authorization);
  } catch (error) {
    const isFailure = error instanceof ConnectError && error.code === Code.Unauthenticated;
    const seconds = isFailure ? await countFailure?.(request) : undefined;
    if (seconds === undefined) refuse(response, error, logger);
    else refuseGuesser(response, seconds);
    return;
  }
  rpc(request, response);
}

const signInRoutes: ReadonlySet<string> = new Set(Object.values(signInPaths));

/** Answers `/audit/session` if no identity provider is configured. */
function answerNoSignIn(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify({ sign_in: false }));
}

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  response.statusCode = 404;
  response.setHeader("content-type", "application/json");
  response.end(notFoundText);
}

/** True for the path and paths below it, not for another path with the same beginning. */
function isUnder(pathname: string, root: string): boolean {
  return pathname === root || pathname.startsWith(`${root}/`);
}
