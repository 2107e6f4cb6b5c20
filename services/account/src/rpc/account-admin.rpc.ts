import type { ServiceImpl } from "@connectrpc/connect";
import {
  maximumCents,
  parseLine,
  parseName,
  parsed,
  rejection,
  unparsable,
  type Parsed,
} from "@hostledger/core";
import { shown } from "@hostledger/projections";
import type { admin } from "@hostledger/protocol";
import { rejectionError, requestedId, requireStaff, validated } from "@hostledger/rpc";

import { commandAccount, commandContext, findAccount } from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { listedKeyMessage } from "./account.message.ts";
import { issueKey, keysOf, requestedKeyId, revokeKey } from "./api-keys.ts";
import { declareKeyLost, erase } from "./erase-account.ts";
import { findKeyOwner } from "./find-key-owner.ts";

type AdminHandlers = ServiceImpl<typeof admin.AccountAdminService>;

const maximumNameLength = 200;
const maximumReferenceLength = 200;

/** What staff may do to accounts. */
export function accountAdminRpc(dependencies: AccountDependencies): AdminHandlers {
  const { clock, accountIds, invoiceIds, projector } = dependencies;
  return {
    async openAccount(request, context) {
      requireStaff(context);
      const { name } = validated({ name: parseName(request.name, maximumNameLength) });
      const accountId = await accountIds.next();
      const data = { accountId, name, vatExempt: request.vatExempt, at: clock.now() };
      const command = { type: "OpenAccount", data } as const;
      await commandAccount(
        dependencies,
        accountId,
        command,
        commandContext(context, `open/${String(accountId)}`),
      );
      return { accountId: BigInt(accountId) };
    },

    async showAccount(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const { account } = await findAccount(dependencies, accountId);
      const { name, vatExempt, balanceCents, openedAt } = account;
      return { accountId: BigInt(accountId), name, vatExempt, balanceCents, openedAt };
    },

    async setVatExemption(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const { vatExempt } = request;
      const command = { type: "SetVatExemption", data: { vatExempt, at: clock.now() } } as const;
      const commandId = `vat-exemption/${dependencies.ids.uuid()}`;
      await commandAccount(dependencies, accountId, command, commandContext(context, commandId));
      return { accountId: BigInt(accountId), vatExempt };
    },

    async topUpAccount(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const { reference, amountCents } = validated({
        reference: parseLine(request.reference, maximumReferenceLength),
        amountCents: parseAmount(request.amountCents),
      });
      const data = { reference, amountCents, invoiceId: await invoiceIds.next(), at: clock.now() };
      const command = { type: "CreditBalance", data } as const;
      const { account, position } = await commandAccount(
        dependencies,
        accountId,
        command,
        commandContext(context, `top-up/${reference}`),
      );
      await shown(projector, { position });
      const credit = account.credits.get(reference);
      if (credit === undefined) throw new Error(`the payment ${reference} was accepted but is not there`);
      return { invoiceId: BigInt(credit.invoiceId), balanceCents: account.balanceCents };
    },

    ...erasureHandlers(dependencies),
    ...keyHandlers(dependencies),
  };
}

function erasureHandlers(
  dependencies: AccountDependencies,
): Pick<AdminHandlers, "eraseAccount" | "declareKeyLost"> {
  const { projector } = dependencies;
  return {
    async eraseAccount(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const erased = await erase(dependencies, accountId, context);
      const { account, position, keyDestroyed, apiKeysRevoked } = erased;
      await shown(projector, { position });
      return {
        accountId: BigInt(accountId),
        erasedAt: account.erasedAt ?? "",
        keyDestroyed,
        apiKeysRevoked,
      };
    },

    async declareKeyLost(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const { account, position, apiKeysRevoked } = await declareKeyLost(dependencies, accountId, context);
      await shown(projector, { position });
      return { accountId: BigInt(accountId), erasedAt: account.erasedAt ?? "", apiKeysRevoked };
    },
  };
}

function keyHandlers(
  dependencies: AccountDependencies,
): Pick<AdminHandlers, "issueApiKey" | "revokeApiKey" | "listApiKeys"> {
  const { keyUses, projector } = dependencies;
  return {
    async issueApiKey(request, context) {
      requireStaff(context);
      const accountId = requestedId("account", request.accountId);
      const issued = await issueKey(dependencies, { accountId, issuedBy: null, wish: request }, context);
      await shown(projector, issued);
      return { keyId: BigInt(issued.keyId), apiKey: issued.secret };
    },

    async revokeApiKey(request, context) {
      requireStaff(context);
      const keyId = requestedKeyId(request.keyId);
      const accountId = await findKeyOwner(dependencies, keyId, context.signal);
      if (accountId === undefined) throw rejectionError(rejection("api-key-not-found"));
      await shown(projector, await revokeKey(dependencies, { accountId, keyId }, context));
      return { keyId: BigInt(keyId) };
    },

    async listApiKeys(request, context) {
      requireStaff(context);
      const { account } = await findAccount(dependencies, requestedId("account", request.accountId));
      const keys = keysOf(account);
      const days = await keyUses.of(keys.map(([keyId]) => keyId));
      return {
        keys: keys.map(([keyId, key]) => listedKeyMessage({ keyId, key, lastUsedOn: days.get(keyId) })),
      };
    },
  };
}

function parseAmount(cents: bigint): Parsed<bigint> {
  return cents > 0n && cents <= maximumCents
    ? parsed(cents)
    : unparsable("must be above zero and at most one billion euros");
}
