import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  missingOfRegistrant,
  parsed,
  parseProfileKind,
  parseProfileText,
  type OpenAccountState,
  type Parsed,
  type ProfileFields,
  type ProfileText,
} from "@hostledger/core";
import { notAvailableText } from "@hostledger/store/personal-data";
import type { account, admin } from "@hostledger/protocol";
import {
  conditionOf,
  requestContextOf,
  requestedId,
  requireAccount,
  useQuota,
  validated,
  type WithContextValues,
} from "@hostledger/rpc";
import { defined } from "@hostledger/runtime";

import {
  commandAccount,
  commandContext,
  findAccount,
  refuseBefore,
  type AccountOutcome,
} from "../account-commands.ts";
import type { AccountDependencies } from "../dependencies.ts";
import { ownAccount } from "./own-account.ts";

type Message = MessageInitShape<typeof account.GetProfileResponseSchema>;

type Changes = Omit<account.ProfileChanges, "$typeName" | "$unknown">;

/** Creates the handlers of profiles, for the customer and for services that order for the customer. */
export function profileHandlers(
  dependencies: AccountDependencies,
): Pick<ServiceImpl<typeof account.AccountService>, "getProfile" | "getProfileRevision" | "changeProfile"> {
  return {
    async getProfile(request, context) {
      const { account } = await findAccount(dependencies, ownAccount(request.accountId, context));
      return profileMessage(account);
    },

    async getProfileRevision(_request, context) {
      const { revision = -1n } = await findAccount(dependencies, requireAccount(context).accountId);
      return { revision };
    },

    async changeProfile({ changes: requested }, context) {
      const { accountId } = requireAccount(context);
      const changes = requestedChanges(requested);
      const command = { type: "ChangeProfile", data: { changes, at: dependencies.clock.now() } } as const;
      await refuseBefore(dependencies, accountId, command);
      await useQuota(dependencies.dailyQuotas, "free_writes_a_day", 1, context);
      const { account: changed } = await change(dependencies, accountId, changes, context);
      return { profile: profileMessage(changed) };
    },
  };
}

export function staffProfileHandlers(
  dependencies: AccountDependencies,
): Pick<ServiceImpl<typeof admin.AccountAdminService>, "setProfile"> {
  return {
    async setProfile(request, context) {
      const accountId = requestedId("account", request.accountId);
      const changes = requestedChanges(request.changes);
      const found = await findAccount(dependencies, accountId);
      const isRead = Object.keys(changes).length === 0;
      const { account, events } = isRead ? found : await change(dependencies, accountId, changes, context);
      const repeated = !isRead && events.length === 0;
      return { accountId: request.accountId, profile: profileMessage(account), repeated };
    },
  };
}

async function change(
  dependencies: AccountDependencies,
  accountId: number,
  changes: Partial<ProfileFields>,
  context: WithContextValues,
): Promise<AccountOutcome> {
  const { clock, ids } = dependencies;
  const command = { type: "ChangeProfile", data: { changes, at: clock.now() } } as const;
  const commandId = `profile/${ids.uuid()}`;
  const given = { ...commandContext(context, commandId), ...conditionOf(requestContextOf(context)) };
  return commandAccount(dependencies, accountId, command, given);
}

/** Parses the given changes. @throws ConnectError `validation-failed` */
function requestedChanges(requested: Changes = {}): Partial<ProfileFields> {
  const text = (field: ProfileText, given: string | undefined): Parsed<string | undefined> =>
    given === undefined ? parsed(undefined) : parseProfileText(field, given);
  return defined(
    validated({
      kind: requested.kind === undefined ? parsed(undefined) : parseProfileKind(requested.kind),
      name: text("name", requested.name),
      organisation: text("organisation", requested.organisation),
      street: text("street", requested.street),
      city: text("city", requested.city),
      postal_code: text("postal_code", requested.postalCode),
      country: text("country", requested.country),
      email: text("email", requested.email),
      phone: text("phone", requested.phone),
      vat_id: text("vat_id", requested.vatId),
      leitweg_id: text("leitweg_id", requested.leitwegId),
    }),
  );
}

function profileMessage({ profile }: OpenAccountState): Message {
  const { version, changedAt, kind, postal_code: postalCode, vat_id: vatId, ...others } = profile;
  const { leitweg_id: leitwegId, ...texts } = others;
  return {
    profile: { ...texts, kind: kind ?? "", postalCode, vatId, leitwegId },
    version,
    ...defined({ changedAt: changedAt ?? undefined }),
    missing: [...missingOfRegistrant(profile)],
    readable: !Object.values(profile).includes(notAvailableText),
  };
}
