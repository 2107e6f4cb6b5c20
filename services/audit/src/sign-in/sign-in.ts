import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { randomBytes } from "node:crypto";

import { Code, ConnectError } from "@connectrpc/connect";
import type { StaffCaller } from "@hostledger/rpc";
import { type Clock, type Ids, type Logger, Semaphore, SemaphoreFullError } from "@hostledger/runtime";
import { EncryptJWT, jwtDecrypt } from "jose";
import { z } from "zod";

import { IdentityError, type IdentityProvider, type SignInAttempt } from "./identity-provider.port.ts";
import {
  createStaffSessions,
  type FindMember,
  sessionSeconds,
  type StaffSessions,
} from "./staff-sessions.ts";

export const signInPaths = {
  login: "/audit/login",
  callback: "/audit/callback",
  logout: "/audit/logout",
  session: "/audit/session",
} as const;

/** Sign-in of staff to the console at an identity provider. */
export interface SignIn {
  readonly http: RequestListener;
  /**
   * Returns the session id in the request's cookie.
   * @returns undefined without a cookie, or if another site's page made the request.
   */
  sessionOf(request: IncomingMessage): string | undefined;
  /** Returns the caller of a session. @throws ConnectError `unauthenticated` */
  callerOf(sessionId: string): Promise<StaffCaller>;
}

export interface SignInOptions {
  readonly provider: IdentityProvider;
  readonly findMember: FindMember;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Counts a failed sign-in. Returns the seconds to wait if there were too many. */
  readonly countFailure?: ((request: IncomingMessage) => Promise<number | undefined>) | undefined;
}

/** Limits parallel and waiting calls to the provider, because strangers can send any number of answers. */
const calls = { permits: 8, waiting: 64 };

interface Parts extends SignInOptions {
  readonly sessions: StaffSessions;
  readonly seal: AttemptSeal;
  readonly attemptCookie: ReturnType<typeof safeCookie>;
  readonly sessionCookie: ReturnType<typeof safeCookie>;
  readonly atProvider: Semaphore;
}

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
  // Logs a wrong setting at the start; the next sign-in tries again.
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
    else await answerSession(parts, request, response);
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

/** Finishes a sign-in and sends the browser to the console, never to another address. */
async function finish(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { provider, seal, attemptCookie, sessionCookie, sessions, atProvider, logger } = parts;
  const attempt = await seal.open(attemptCookie.read(request) ?? "");
  // An attempt ends with its first answer.
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

/** Answers whether the console offers the sign-in, and which person is signed in. */
async function answerSession(
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

/** True if the request comes from the console's own pages: every browser sends the page's origin with a POST. */
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

/** A cookie that scripts cannot read and other sites cannot send with a POST (RFC 6265bis). */
interface SafeCookie {
  /** Undefined if the request has none. */
  read(request: IncomingMessage): string | undefined;
  /** @param seconds lifetime in the browser; 0 removes the cookie. */
  write(response: ServerResponse, value: string, seconds: number): void;
}

/**
 * @param isSecure true if browsers use TLS: then no other host of the domain, and nobody on clear text, can set the
 * cookie.
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

/** Maximum time at the provider, in seconds. */
const attemptSeconds = 600;

/** Encrypts the data of a sign-in, so that the browser stores it and strangers cannot fill this process's memory. */
interface AttemptSeal {
  seal(attempt: SignInAttempt): Promise<string>;
  /** @returns undefined for a text that this process did not seal, or sealed too long ago. */
  open(sealed: string): Promise<SignInAttempt | undefined>;
}

const shape = z.object({ state: z.string(), nonce: z.string(), codeVerifier: z.string() });

const algorithms = { alg: "dir", enc: "A256GCM" } as const;

/** Seals with a key of this process alone. */
function createAttemptSeal(clock: Clock): AttemptSeal {
  const key = randomBytes(32);
  const date = (): Date => new Date(clock.epochMilliseconds());
  return {
    seal: (attempt) =>
      new EncryptJWT({ ...attempt })
        .setProtectedHeader(algorithms)
        .setExpirationTime(new Date(clock.epochMilliseconds() + attemptSeconds * 1_000))
        .encrypt(key),

    async open(sealed) {
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          currentDate: date(),
          keyManagementAlgorithms: [algorithms.alg],
          contentEncryptionAlgorithms: [algorithms.enc],
          requiredClaims: ["exp"],
        });
        return shape.safeParse(payload).data;
      } catch {
        // Any invalid text is treated alike.
        return undefined;
      }
    },
  };
}
