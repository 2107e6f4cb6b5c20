import type { Caller } from "../identity/caller.ts";
import { serviceAudiences, type CallerTokens } from "../identity/caller-token.ts";
import { callHeaders } from "./headers.ts";

/** By what a call and what it leads to are known. */
export interface CallIds {
  readonly requestId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly causationId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly operationId?: string | undefined;
  /** What the operation claims its key with: digest of the request, and the process that runs it. */
  readonly fingerprint?: string | undefined;
  readonly owner?: string | undefined;
  /** The stream's revision that a write is based on, -1 for none; `repeat` where it may only be one that was done before. */
  readonly ifRevision?: string | undefined;
}

/** What a call says about itself. */
export interface OutgoingCall extends CallIds {
  /** On whose behalf: the customer at the gateway, the service itself between services. */
  readonly caller: Caller;
  readonly requestId: string;
}

/** The names of all ids, which are those of their headers in `callHeaders`. */
export const callIdNames = [
  "requestId",
  "correlationId",
  "causationId",
  "idempotencyKey",
  "operationId",
  "fingerprint",
  "owner",
  "ifRevision",
] as const satisfies readonly (keyof CallIds)[];

/**
 * The headers of a call. Within the process nobody looks at them but for the token and the ids, which are read as they are: the
 * platform's list, which takes as long as a look-up in a table, is made when somebody looks at anything else or changes it.
 */
export class OutgoingHeaders extends Headers {
  readonly #token: string;
  #ids: CallIds | undefined;
  #isListed = false;

  constructor(token: string, ids: CallIds) {
    super();
    this.#token = token;
    this.#ids = ids;
  }

  /** Undefined once a header was changed: the texts are what holds. */
  get ids(): CallIds | undefined {
    return this.#ids;
  }

  override get(name: string): string | null {
    if (!this.#isListed && name === callHeaders.caller) return this.#token;
    this.#list();
    return super.get(name);
  }

  override has(name: string): boolean {
    this.#list();
    return super.has(name);
  }

  override getSetCookie(): string[] {
    this.#list();
    return super.getSetCookie();
  }

  override entries(): HeadersEntries {
    this.#list();
    return super.entries();
  }

  override [Symbol.iterator](): HeadersEntries {
    return this.entries();
  }

  override keys(): HeadersNames {
    this.#list();
    return super.keys();
  }

  override values(): HeadersNames {
    this.#list();
    return super.values();
  }

  override forEach(...call: Parameters<Headers["forEach"]>): void {
    this.#list();
    super.forEach(...call);
  }

  override set(name: string, value: string): void {
    this.#change();
    super.set(name, value);
  }

  override append(name: string, value: string): void {
    this.#change();
    super.append(name, value);
  }

  override delete(name: string): void {
    this.#change();
    super.delete(name);
  }

  #list(): void {
    if (this.#isListed) return;
    this.#isListed = true;
    super.set(callHeaders.caller, this.#token);
    for (const name of callIdNames) {
      const id = this.#ids?.[name];
      if (id !== undefined) super.set(callHeaders[name], id);
    }
  }

  #change(): void {
    this.#list();
    this.#ids = undefined;
  }
}

type HeadersEntries = ReturnType<Headers["entries"]>;
type HeadersNames = ReturnType<Headers["keys"]>;

/** Makes the headers of a call, for Connect's `CallOptions.headers`. */
export type Outgoing = (call: OutgoingCall) => Headers;

/**
 * Makes headers signed with the given tokens. A RequestContext can be passed on as it is, with a caller beside it.
 * @param at the services that are called: the tokens are good nowhere else.
 */
export function createOutgoing(tokens: CallerTokens, at: readonly string[] = serviceAudiences): Outgoing {
  return (call) => new OutgoingHeaders(tokens.issue(call.caller, at), call);
}

/** The headers of a call to the staff listener. */
export function staffHeaders(credential: string): Headers {
  return new Headers({ [callHeaders.authorization]: `Bearer ${credential}` });
}
