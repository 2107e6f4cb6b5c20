import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

import { Code, ConnectError } from "@connectrpc/connect";
import type { StaffCaller } from "@hostledger/rpc";
import { Semaphore, SemaphoreFullError, type Clock, type Ids, type Logger } from "@hostledger/runtime";

import { IdentityError, type IdentityProvider } from "./identity-provider.port.ts";
import { attemptSeconds, createAttemptSeal, type AttemptSeal } from "./sealed-attempt.ts";
import {
  createStaffSessions,
  sessionSeconds,
  type FindMember,
  type StaffSessions,
} from "./staff-sessions.ts";

/** Where browsers sign in. */
export const signInPaths = {
  login: "/audit/login",
  callback: "/audit/callback",
  logout: "/audit/logout",
  session: "/audit/session",
} as const;

/** Staff sign in to the console at an identity provider. */
export interface SignIn {
  /** Answers `signInPaths`. */
  readonly http: RequestListener;
  /**
   * The id of the session whose cookie the request shows.
   * @returns undefined where there is none, and where another site's page made the request.
   */
  sessionOf(request: IncomingMessage): string | undefined;
  /** Whose session it is. @throws ConnectError `unauthenticated` */
  callerOf(sessionId: string): Promise<StaffCaller>;
}

/** What signing in needs. */
export interface SignInOptions {
  readonly provider: IdentityProvider;
  readonly findMember: FindMember;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Counts a sign-in that failed: seconds until the client may fail again, where it was too many. */
  readonly countFailure?: ((request: IncomingMessage) => Promise<number | undefined>) | undefined;
}

/** So many answers of browsers are taken to the provider at one time, and so many wait: strangers can send any number. */
const calls = { permits: 8, waiting: 64 };

interface Parts extends SignInOptions {
  readonly sessions: StaffSessions;
  readonly seal: AttemptSeal;
  readonly attemptCookie: ReturnType<typeof safeCookie>;
  readonly sessionCookie: ReturnType<typeof safeCookie>;
  readonly atProvider: Semaphore;
}

/** Puts together how staff sign in. */
export function createSignIn(options: SignInOptions): SignIn {
  const { provider, clock, logger } = options;
  const isSecure = provider.redirectUri.protocol === "https:";
  const parts: Parts = {
    ...options,
    sessions: createStaffSessions(options),
    seal: createAttemptSeal(clock),
    attemptCookie: safeCookie("hostledger-sign-in", isSecure),
    sessionCookie: safeCookie("hostledger-session", isSecure),
    atProvider: new Semaphore(calls),
  };
  // An operator hears of a wrong setting at the start; the next sign-in asks again.
  provider.begin().catch((error: unknown) => {
    logger.warn({ err: error }, "the identity provider cannot be reached: staff sign in with their tokens");
  });
  return {
    http: (request, response) => {
      void answer(parts, request, response);
    },
    sessionOf: (request) => (isOwnPage(parts, request) ? parts.sessionCookie.read(request) : undefined),
    callerOf: (id) => parts.sessions.callerOf(id),
  };
}

async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ""] = (request.url ?? "").split("?", 1);
  response.setHeader("cache-control", "no-store");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("x-content-type-options", "nosniff");
  const method = path === signInPaths.logout ? "POST" : "GET";
  if (request.method !== method) {
    response.setHeader("allow", method);
    say(response, 405, `This takes ${method}.`);
    return;
  }
  try {
    if (path === signInPaths.login) await begin(parts, response);
    else if (path === signInPaths.callback) await finish(parts, request, response);
    else if (path === signInPaths.logout) logOut(parts, request, response);
    else await tellSession(parts, request, response);
  } catch (error) {
    await refuse(parts, error, request, response);
  }
}

async function begin(
  { provider, seal, attemptCookie, atProvider }: Parts,
  response: ServerResponse,
): Promise<void> {
  const { url, attempt } = await atProvider.run(() => provider.begin());
  attemptCookie.write(response, await seal.seal(attempt), attemptSeconds);
  response.writeHead(302, { location: url.href }).end();
}

/** The browser is back. Wherever it wanted to go before, it is sent to the console: there is nothing to redirect elsewhere. */
async function finish(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider, seal, attemptCookie, sessionCookie, sessions, atProvider, logger } = parts;
  const attempt = await seal.open(attemptCookie.read(request) ?? "");
  // An attempt is over with its first answer.
  attemptCookie.write(response, "", 0);
  if (attempt === undefined)
    throw new IdentityError("refused", "no sign-in was begun in this browser, or too long ago");
  const url = request.url ?? "";
  const search = url.includes("?") ? url.slice(url.indexOf("?")) : "";
  const name = await atProvider.run(() => provider.finish(search, attempt));
  const { id, caller } = await sessions.begin(name);
  logger.info({ staff: caller.name }, "signed in to the console");
  sessionCookie.write(response, id, sessionSeconds);
  response.writeHead(303, { location: "/audit" }).end();
}

function logOut(parts: Parts, request: IncomingMessage, response: ServerResponse): void {
  const { sessionCookie, sessions } = parts;
  if (!isOwnPage(parts, request)) {
    say(response, 403, "This request came from a page of somebody else.");
    return;
  }
  sessions.end(sessionCookie.read(request) ?? "");
  sessionCookie.write(response, "", 0);
  response.writeHead(204).end();
}

/** Tells the console whether it may offer to sign in, and who has. */
async function tellSession(
  { sessionCookie, sessions }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = sessionCookie.read(request);
  let name: string | undefined;
  try {
    if (id !== undefined) ({ name } = await sessions.callerOf(id));
  } catch (error) {
    if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
  }
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ sign_in: true, name }));
}

/** Every browser names the origin of the page with what it posts; another program shows a token instead. */
function isOwnPage({ provider }: Pick<Parts, "provider">, { headers }: IncomingMessage): boolean {
  return headers["sec-fetch-site"] === "same-origin" || headers.origin === provider.redirectUri.origin;
}

async function refuse(
  { logger, countFailure }: Parts,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (error instanceof SemaphoreFullError) {
    response.setHeader("retry-after", "5");
    say(response, 503, "Too many sign in at once: try again in a moment.");
    return;
  }
  if (error instanceof IdentityError && error.reason === "unreachable") {
    logger.error({ err: error }, "the identity provider cannot be reached");
    response.setHeader("retry-after", "5");
    say(
      response,
      503,
      "The identity provider cannot be reached: try again, or use your staff token at /audit.",
    );
    return;
  }
  const isNobody = error instanceof ConnectError && error.code === Code.Unauthenticated;
  if (!(error instanceof IdentityError) && !isNobody) {
    logger.error({ err: error }, "a sign-in failed");
    say(response, 500, "Internal error.");
    return;
  }
  const seconds = await countFailure?.(request);
  logger.warn({ err: error }, "a sign-in was refused");
  if (seconds !== undefined) {
    response.setHeader("retry-after", String(seconds));
    say(response, 429, "Too many sign-ins from your address failed.");
  } else if (isNobody) say(response, 403, error.rawMessage);
  else say(response, 400, "The identity provider's answer was not taken: sign in again at /audit.");
}

function say(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${sentence}\n`);
}

/** A cookie that scripts cannot read and other sites cannot send along with what they post (RFC 6265bis). */
interface SafeCookie {
  /** Undefined where the request has none. */
  read(request: IncomingMessage): string | undefined;
  /** @param seconds how long browsers keep it; 0 takes it away. */
  write(response: ServerResponse, value: string, seconds: number): void;
}

/**
 * @param isSecure true where browsers come over TLS: then no other host of the domain, and nobody on clear text, can set it.
 */
function safeCookie(plainName: string, isSecure: boolean): SafeCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  return {
    read({ headers }) {
      const pairs = (headers.cookie ?? "").split(";").map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    write(response, value, seconds) {
      const attributes = ["Path=/", "HttpOnly", "SameSite=Lax", `Max-Age=${String(seconds)}`];
      if (isSecure) attributes.push("Secure");
      response.appendHeader("set-cookie", [`${name}=${value}`, ...attributes].join("; "));
    },
  };
}
