import type { ServiceImpl } from "@connectrpc/connect";
import { paymentAggregate, rejection } from "@hostledger/core";
import type { account } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";

import type { AccountDependencies } from "../dependencies.ts";
import { askAgain } from "../effects/ask-again.ts";
import { providerNamed } from "../effects/payment-work.ts";
import { paymentKind } from "../reads/account.tables.ts";

/** Order ids that can be of this instance: other systems on the provider's account choose any text. */
const ownOrder = new RegExp(`^${paymentAggregate.category}-([\\x21-\\x7e]{1,300})$`, "u");

/**
 * Webhooks of the payment provider. A webhook moves no money: it makes the payment due, and the work engine asks the provider. So
 * one that is repeated, late, lost or out of order does no harm, and neither do two processes that take one at the same moment.
 * About a payment that the engine asks about no more, the provider is asked before the answer: without its answer, the webhook is
 * refused, and the provider repeats the webhook.
 */
export function paymentNoticeRpc({
  accounts,
  clock,
  commands,
  engine,
  logger,
  methodIds,
  payments = { returnOrigins: [] },
}: AccountDependencies): ServiceImpl<typeof account.PaymentNoticeService> {
  return {
    async receivePaymentNotice({ provider, body, signature }) {
      const { notices } = providerNamed(payments, provider) === undefined ? {} : payments;
      if (notices === undefined)
        throw rejectionError(
          rejection("not-found", "No webhooks of this payment provider are configured here."),
        );
      const read = await notices.read(body, signature);
      if (read.outcome === "refused") {
        logger.warn({ provider, reason: read.message }, "a webhook of the payment provider is refused");
        throw rejectionError(rejection("malformed-request", read.message));
      }
      if (read.outcome === "unknown") {
        logger.warn(
          { provider, reason: read.message },
          "a webhook of the payment provider comes again later",
        );
        throw rejectionError(
          rejection("temporarily-unavailable", "The payment provider did not say what the webhook is about."),
        );
      }
      const { id, type, orderId, why } = read.value;
      const key = ownOrder.exec(orderId)?.[1] ?? "";
      const isOurs = key !== "" && (await isOrderedAt(commands, key, provider));
      const ignoredBecause = isOurs
        ? ""
        : why === ""
          ? "The event is about a payment that was not ordered here."
          : why;
      logger.info({ provider, id, type, orderId, ignoredBecause }, "a webhook of the payment provider came");
      if (isOurs) {
        const asked = await askAgain({ ...payments, accounts, clock, methodIds }, key);
        if (asked.outcome === "failed") {
          logger.warn(
            { provider, id, orderId, reason: asked.reason },
            "a webhook's question has no answer yet",
          );
          throw rejectionError(
            rejection(
              "temporarily-unavailable",
              "The payment provider did not return the state of the payment.",
            ),
          );
        }
        await engine.wake({ kind: paymentKind, key });
      }
      return { ignoredBecause };
    },
  };
}

async function isOrderedAt(
  commands: AccountDependencies["commands"],
  key: string,
  provider: string,
): Promise<boolean> {
  const { state } = await commands.load(paymentAggregate, key);
  return state.status !== "absent" && state.requested.provider === provider;
}
