import type { Clock } from "@hostledger/runtime";
import { Stripe } from "stripe";

import { done, refused, unknown, type Outcome } from "../../outcome.ts";
import type { PaymentNotice, PaymentNotices } from "../payments.port.ts";
import { StripeApi, type StripeAccess } from "./stripe-api.ts";
import { chargeShape, eventShape, eventSubjectShape } from "./stripe-objects.codec.ts";

export interface StripeNoticeOptions extends StripeAccess {
  readonly clock: Pick<Clock, "epochMilliseconds">;
  /** Secret with which Stripe signs its webhooks (`whsec_…`). */
  readonly webhookSecret: string;
}

/** Maximum seconds between the signature and now, in both directions, as Stripe advises. */
const toleranceSeconds = 300;

/** Objects of events that are about a payment. Disputes and refunds name the charge alone. */
const subjects: ReadonlySet<string> = new Set([
  "checkout.session",
  "charge",
  "payment_intent",
  "dispute",
  "refund",
]);

/** Reads webhooks of Stripe: checks the signature with Stripe's package, and finds the order that an event is about. */
export class StripeNotices implements PaymentNotices {
  readonly #options: StripeNoticeOptions;
  readonly #api: StripeApi;

  constructor(options: StripeNoticeOptions) {
    this.#options = options;
    this.#api = new StripeApi(options);
  }

  async read(body: Uint8Array, signature: string): Promise<Outcome<PaymentNotice>> {
    const { clock, secretKey, webhookSecret } = this.#options;
    const nowMs = clock.epochMilliseconds();
    let sent: unknown;
    try {
      sent = Stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        webhookSecret,
        toleranceSeconds,
        undefined,
        nowMs,
      );
    } catch (error) {
      return refused("rejected", faultOf(error));
    }
    // Stripe's package bounds the age alone.
    if (signedAt(signature) - nowMs / 1_000 > toleranceSeconds)
      return refused("rejected", "The signature is more than five minutes in the future.");
    const event = eventShape.safeParse(sent);
    if (!event.success) return refused("rejected", "The body is no event of Stripe.");
    const { id, type, livemode, account, data } = event.data;
    if (typeof account === "string")
      return refused("rejected", "The event is about another account at Stripe than the configured one.");
    if (livemode !== /^[rs]k_live_/.test(secretKey))
      return refused(
        "rejected",
        "The event is of Stripe's other mode, test or live, than the configured key.",
      );
    const subject = eventSubjectShape.safeParse(data.object);
    if (!subjects.has(data.object.object) || !subject.success)
      return done({ id, type, orderId: "", why: "The event is about no payment." });
    const { client_reference_id: reference, transfer_group: group, charge } = subject.data;
    return typeof charge === "string"
      ? this.#ofCharge({ id, type }, charge)
      : done(aboutOrder({ id, type }, reference ?? group));
  }

  async #ofCharge(
    event: Pick<PaymentNotice, "id" | "type">,
    charge: string,
  ): Promise<Outcome<PaymentNotice>> {
    const found = await this.#api.ask(chargeShape, (stripe) => stripe.charges.retrieve(charge));
    if (found.outcome === "done") return done(aboutOrder(event, found.value.transfer_group));
    return found.outcome === "refused" && found.code === "resource_missing"
      ? done({ ...event, orderId: "", why: "Stripe does not know the event's charge." })
      : unknown(found.message);
  }
}

function aboutOrder(
  event: Pick<PaymentNotice, "id" | "type">,
  orderId: string | null | undefined,
): PaymentNotice {
  const isOrder = typeof orderId === "string" && orderId !== "";
  return isOrder
    ? { ...event, orderId, why: "" }
    : { ...event, orderId: "", why: "The event is about a payment that was not ordered here." };
}

/** Returns the Unix time of a signature in seconds: the last `t`, which is the one that was signed. */
function signedAt(signature: string): number {
  const [, seconds] = signature
    .split(",")
    .map((item) => item.split("="))
    .findLast(([name]) => name === "t") ?? ["t", ""];
  return Number.parseInt(seconds ?? "", 10);
}

/** Returns why the package refused a webhook, without the webhook's content. */
function faultOf(error: unknown): string {
  if (error instanceof SyntaxError) return "The body is not valid JSON.";
  if (error instanceof Error && error.message.includes("tolerance"))
    return "The signature is older than five minutes.";
  return "The signature is not that of the configured webhook secret.";
}
