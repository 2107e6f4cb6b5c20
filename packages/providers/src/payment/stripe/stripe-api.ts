import { asLine } from "@hostledger/core";
import { defined } from "@hostledger/runtime";
import { Stripe } from "stripe";
import type { z } from "zod";

import { connectionFailure } from "../../ask-over-http.ts";
import { done, refused, unknown, type Outcome } from "../../outcome.ts";

/** Address and credentials of Stripe. */
export interface StripeAccess {
  /** Address of the API: https://api.stripe.com, or a proxy or a test server. */
  readonly url: URL;
  readonly secretKey: string;
  /** Time limit of a call, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Outcome of a call, as `Outcome`, but a refusal has Stripe's code, such as `resource_missing`. */
export type StripeAnswer<T> =
  | Exclude<Outcome<T>, { readonly outcome: "refused" }>
  | (Extract<Outcome<T>, { readonly outcome: "refused" }> & {
      readonly code?: string;
      /** True if the card or its bank refused. */
      readonly isCard?: boolean;
    });

/** Maximum bytes of an answer: a list of 100 charges has less than 1 MB. */
const longestAnswer = 8_000_000;

/** Maximum characters quoted from Stripe. */
const longestWords = 300;

/** Calls Stripe's API through its official package, with limits on time and size, and without repetitions of its own. */
export class StripeApi {
  readonly #stripe: Stripe;

  constructor({ url, secretKey, timeLimitMs }: StripeAccess) {
    this.#stripe = new Stripe(secretKey, {
      host: url.hostname,
      ...(url.port !== "" && { port: url.port }),
      protocol: url.protocol === "http:" ? "http" : "https",
      timeout: timeLimitMs,
      // The work engine repeats, after it has asked. A repetition here could make a lost order look unsent.
      maxNetworkRetries: 0,
      telemetry: false,
      httpClient: Stripe.createFetchHttpClient(boundedFetch),
    });
  }

  /** Makes a call, and reads its answer. A refusal is certain: Stripe did nothing. */
  async ask<Shape extends z.ZodType>(
    shape: Shape,
    call: (stripe: Stripe) => Promise<unknown>,
  ): Promise<StripeAnswer<z.output<Shape>>> {
    let answer: unknown;
    try {
      answer = await call(this.#stripe);
    } catch (error) {
      return outcomeOf(error);
    }
    const read = shape.safeParse(answer);
    return read.success
      ? done(read.data)
      : unknown("Stripe answered something that its documentation does not have.");
  }
}

/** Converts an error of Stripe's package. Only errors that exclude an effect at Stripe count as refused. */
function outcomeOf(error: unknown): StripeAnswer<never> {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const words = asLine(error.message, longestWords, "no reason was given");
  if (error instanceof Stripe.errors.StripeConnectionError) {
    const failure = connectionFailure(error.detail);
    return failure.isUnsent
      ? refused("unreachable", `No connection to Stripe could be made (${failure.code}).`)
      : unknown(`No whole answer of Stripe came (${failure.code}).`);
  }
  const isRefusal =
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError ||
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError;
  // 429, 409, 5xx, and a key that was used with other parameters: an earlier call may have been carried out.
  if (!isRefusal) return unknown(`Stripe has no answer at present: ${words}`);
  return {
    outcome: "refused",
    reason: "rejected",
    message: `Stripe refuses: ${words}`,
    isCard: error instanceof Stripe.errors.StripeCardError,
    ...defined({ code: error.code }),
  };
}

/** `fetch` that reads at most `longestAnswer` bytes and follows no redirects, because the request has a credential. */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetch(url, { ...init, redirect: "manual" });
  if (status >= 300 && status < 400) throw new Error("the answer is a redirect");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (length > longestAnswer) throw new Error(`the answer has more than ${String(longestAnswer)} octets`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), { status, headers });
}
