import type { Client } from "@connectrpc/connect";
import type { account as messages } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import type { z } from "zod";

import { operation, type Operation } from "../http/operation.ts";
import { accountProfile, profileBody } from "../schemas/account.schema.ts";
import { profileView } from "../views/account.view.ts";
import { present } from "../views/view.codec.ts";

/** Operations on the customer's profile (contract, second part). */
export function accountRoutes(accounts: Client<typeof messages.AccountService>): Operation[] {
  return [
    operation({
      id: "getAccount",
      scopes: ["account", "read"],
      tag: "Account",
      method: "get",
      path: "/account",
      summary: "Read who the customer is, as registries and invoices want to know it",
      request: {},
      responses: { 200: accountProfile },
      refusals: [],
      async handle(_request, { accountId, call }) {
        const answer = await accounts.getProfile({ accountId }, call);
        return { status: 200, body: profileView(accountId, answer) };
      },
    }),
    operation({
      id: "updateAccount",
      scopes: ["account"],
      tag: "Account",
      method: "put",
      path: "/account",
      summary: "Say who the customer is",
      description:
        "What is absent stays as it is; null, or an empty text, takes it back. With `kind: person` an absent `organisation` is taken " +
        "back, and with another kind than before an absent `vat_id`.",
      request: { body: profileBody },
      responses: { 200: accountProfile },
      refusals: ["quota-exceeded"],
      revisionOf: async (_request, { call }) => (await accounts.getProfileRevision({}, call)).revision,
      async handle({ body }, { accountId, call }) {
        const { profile } = await accounts.changeProfile({ changes: changesOf(body) }, call);
        return {
          status: 200,
          body: profileView(accountId, present(profile, "ChangeProfileResponse.profile")),
        };
      },
    }),
  ];
}

function changesOf({ postal_code: postalCode, vat_id: vatId, ...same }: z.output<typeof profileBody>) {
  const named = Object.entries({ ...same, postalCode, vatId }).filter(([, value]) => value !== undefined);
  return defined(Object.fromEntries(named.map(([name, value]) => [name, value ?? ""])));
}
