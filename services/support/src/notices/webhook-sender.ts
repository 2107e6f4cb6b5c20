import { createHmac } from "node:crypto";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { lookup } from "node:dns/promises";

import { isReachable, isWithin } from "@hostledger/core";
import { defined, type Timing } from "@hostledger/runtime";
import { createLru, Semaphore, within } from "@hostledger/runtime/async";
import { errorCodeOf } from "@hostledger/runtime/error-code";

import type { ReceiverAnswer } from "./receiver.ts";

/** Maximum wait for a receiver's answer, in milliseconds. */
const answerLimitMs = 20_000;

/** Maximum pause that a receiver may request, in milliseconds: a day. */
const longestRetryAfterMs = 86_400_000;

/** Time limit for resolving the host of a new webhook, in milliseconds. */
const lookUpLimitMs = 2_000;

/** Content and address of a request. */
export interface WebhookMessage {
  readonly url: string;
  /** Of the notice: the same at every attempt. */
  readonly id: string;
  /** The instant of this attempt. */
  readonly at: string;
  readonly body: string;
  /** `whsec_…`, the present one first: each signs. */
  readonly secrets: readonly string[];
}

/** Sends notices to URLs of customers. */
export interface WebhookSender {
  /** Sends once, to public and allowed addresses only; no redirect is followed, and the answer's body is dropped. Never throws. */
  send(message: WebhookMessage, signal: AbortSignal): Promise<ReceiverAnswer>;
  /** Returns true if the host is known to be forbidden. An unresolvable name is not forbidden. */
  isForbidden(url: string): Promise<boolean>;
}

export interface WebhookSenderOptions {
  /** Networks (CIDR) that may be reached although they are not public. */
  readonly allowed: readonly string[];
  readonly timing: Timing;
  /** Default: the machine's own resolver. */
  readonly resolve?: Resolve;
  /** Addresses of this machine, behind which our own ports are. Default: those of its interfaces. */
  readonly ownAddresses?: () => readonly string[];
}

const notPublic = "the host is not on the Internet";

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { allowed, timing, ownAddresses = interfaceAddresses } = options;
  const names = createNameLookUps(timing, options.resolve);

  async function addressesOf(host: string, resolve: Resolve) {
    const addresses = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }];
    const own = ownAddresses();
    const isAllowed = (address: string): boolean =>
      isReachable(address, allowed) && (isWithin(address, allowed) || !isWithin(address, own));
    // Of several none may be ours: which one is connected to is not for us to say.
    if (!addresses.every(({ address }) => isAllowed(address))) throw new ForbiddenHostError(notPublic);
    return addresses;
  }

  return {
    async isForbidden(url) {
      const looking = addressesOf(hostOf(new URL(url)), names.toAsk).then(
        () => false,
        (error: unknown) => error instanceof ForbiddenHostError,
      );
      return within(lookUpLimitMs, looking, () => false, timing);
    },

    async send(message, signal) {
      const abort = new AbortController();
      const late = (): ReceiverAnswer => {
        abort.abort();
        return { status: null, error: `no answer within ${String(answerLimitMs / 1_000)} s` };
      };
      // Connects to the checked address: the name is not resolved a second time.
      const attempt = addressesOf(hostOf(new URL(message.url)), names.toSend)
        .then((addresses) => post(message, addresses, AbortSignal.any([signal, abort.signal])))
        .catch((error: unknown): ReceiverAnswer => ({ status: null, error: reasonOf(error) }));
      return within(answerLimitMs, attempt, late, timing);
    },
  };
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
}

class ForbiddenHostError extends Error {
  override readonly name = "ForbiddenHostError";
}

/** The `webhook-signature` of Standard Webhooks 1.0: one for each secret. */
export function signatureOf({ id, body, secrets }: WebhookMessage, timestamp: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(secret.indexOf("_") + 1), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}

function post(
  message: WebhookMessage,
  addresses: Awaited<ReturnType<Resolve>>,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const url = new URL(message.url);
  const timestamp = String(Math.floor(Date.parse(message.at) / 1_000));
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sending = send(url, {
      method: "POST",
      agent: false,
      signal,
      lookup: pinned(addresses),
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(message.body),
        "user-agent": "Hostledger-Webhooks/1",
        "webhook-id": message.id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatureOf(message, timestamp),
      },
    });
    sending.on("error", reject);
    sending.on("response", (response) => {
      const { statusCode = 0, headers } = response;
      // Only the status and Retry-After are read.
      response.on("error", () => undefined);
      response.destroy();
      const asksToWait = statusCode === 429 || statusCode === 503;
      const retryAfterMs = asksToWait ? retryAfterIn(headers["retry-after"], message.at) : undefined;
      resolve({ status: statusCode, error: errorOf(statusCode), ...defined({ retryAfterMs }) });
    });
    sending.end(message.body);
  });
}

/** Creates a resolver that returns the earlier result. */
function pinned(addresses: Awaited<ReturnType<Resolve>>): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

/** Parses `Retry-After`, seconds or a date (RFC 9110 §10.2.3), to milliseconds; undefined for any other text. */
function retryAfterIn(text: string | undefined, at: string): number | undefined {
  if (text === undefined) return undefined;
  const seconds = text.trim();
  const ms = /^\d+$/u.test(seconds) ? Number(seconds) * 1_000 : Date.parse(seconds) - Date.parse(at);
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs);
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return `answered ${String(status)}${isRedirect ? "; redirects are not followed" : ""}`;
}

/** Returns a reason for the customer that reveals nothing about our network. */
function reasonOf(error: unknown): string {
  if (error instanceof ForbiddenHostError) return error.message;
  const code = errorCodeOf(error) ?? "unknown";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host does not resolve";
  return `could not be reached (${code.slice(0, 60)})`;
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/gu, "");
}

/** All addresses of a host. @throws where there is none */
export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>;

/** Looks up the names of hosts, a few at a time. */
interface NameLookUps {
  /** Resolves names for sending. */
  readonly toSend: Resolve;
  /** Resolves names of new webhooks, to which nothing may ever be sent. */
  readonly toAsk: Resolve;
}

/** The machine's resolver takes a thread of those that files are read by, too, for as long as it waits for an answer. */
const atOnce = { permits: 2, waiting: 100 };

/** Limits slow look-ups, so that fast ones always find room. */
const slowAtOnce = { permits: 1, waiting: 100 };

/** Of names that are asked about, so that these have no more than their turn among the slow ones. */
const askedAtOnce = { permits: 1, waiting: 100 };

/** A name that took longer the last time is a slow one, in milliseconds. */
const slowMs = 1_000;

/** Slow names that are known again. */
const rememberedNames = 10_000;

/**
 * Creates the look-ups. Customers name the hosts: one that nobody answers for keeps the resolver for many seconds. Those, and names
 * that are only asked about, wait for each other and for nobody else.
 * @param resolve default: the machine's own resolver.
 */
function createNameLookUps(
  timing: Timing,
  resolve: Resolve = (host) => lookup(host, { all: true }),
): NameLookUps {
  const all = new Semaphore(atOnce);
  const slow = new Semaphore(slowAtOnce);
  const asked = new Semaphore(askedAtOnce);
  const slowNames = createLru<string, true>(rememberedNames);

  const look: Resolve = (host) =>
    all.run(async () => {
      const beganMs = timing.monotonicMilliseconds();
      try {
        return await resolve(host);
      } finally {
        if (timing.monotonicMilliseconds() - beganMs > slowMs) slowNames.set(host, true);
        else slowNames.delete(host);
      }
    });
  return {
    toSend: (host) => (slowNames.has(host) ? slow.run(() => look(host)) : look(host)),
    toAsk: (host) => asked.run(() => slow.run(() => look(host))),
  };
}
