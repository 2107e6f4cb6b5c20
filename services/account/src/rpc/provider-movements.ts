import type { MessageInitShape } from "@bufbuild/protobuf";
import { addMilliseconds, parsed, parseInstant, rejection, unparsable, type Parsed } from "@hostledger/core";
import type { PaymentProvider } from "@hostledger/providers";
import type { admin } from "@hostledger/protocol";
import { rejectionError, validated } from "@hostledger/rpc";

import type { AccountDependencies } from "../dependencies.ts";
import { isForeignOrder } from "../effects/compared-payment.ts";

type Answer = MessageInitShape<typeof admin.ListProviderMovementsResponseSchema>;

/** Maximum days of a span. */
const mostDays = 400;

/** Maximum characters of the name of a page. */
const longestPage = 200;

/**
 * Asks a payment provider what moved the operator's balance there.
 * @throws ConnectError for a span, a page or a provider that is none, and while the provider gives no answer
 */
export async function listProviderMovements(
  { accounts, clock, installation, payments }: AccountDependencies,
  request: Readonly<Pick<admin.ListProviderMovementsRequest, "provider" | "from" | "to" | "after">>,
): Promise<Answer> {
  const provider = findProvider(payments, request.provider);
  const { from, to, after } = validated({
    from: parseInstant(request.from),
    to: parseInstant(request.to),
    after: parsePage(request.after),
  });
  validated({ to: parseEnd(from, to) });
  const now = clock.now();
  const until = to < now ? to : now;
  const page = await provider.listMovements({ from, to: until, after });
  if (page.outcome === "refused" && page.reason === "rejected")
    throw rejectionError(rejection("validation-failed", page.message));
  if (page.outcome !== "done") throw rejectionError(rejection("payment-unavailable", page.message));
  const { movements, next } = page.value;
  const foreign = await Promise.all(
    movements.map(({ orderId }) => isForeignOrder({ accounts, installation }, orderId)),
  );
  return {
    provider: provider.name,
    from,
    to: until,
    movements: movements.map((movement, index) => ({ ...movement, isForeign: foreign[index] ?? false })),
    next,
  };
}

function findProvider(payments: AccountDependencies["payments"], name: string): PaymentProvider {
  const configured = [payments?.provider, payments?.formerProvider].filter((one) => one !== undefined);
  const found = name === "" ? configured[0] : configured.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = configured.map((one) => one.name).join(" or ");
  const rule = names === "" ? "cannot be listed: no payment provider is configured" : `must be ${names}`;
  throw rejectionError(
    rejection("validation-failed", "This payment provider is not configured here.", {
      fieldErrors: { provider: [rule] },
    }),
  );
}

function parseEnd(from: string, to: string): Parsed<string> {
  return to > from && to <= addMilliseconds(from, mostDays * 86_400_000)
    ? parsed(to)
    : unparsable(`must be later than the start, and at most ${String(mostDays)} days`);
}

function parsePage(text: string): Parsed<string> {
  return /^[\x21-\x7e]*$/.test(text) && text.length <= longestPage
    ? parsed(text)
    : unparsable("must be the name of a page");
}
