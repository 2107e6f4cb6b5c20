import { accept, reject, type Decision } from "../kernel/decider.ts";
import type { ChangeProfile } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import type { OpenAccountState } from "./account.state.ts";
import { profileTexts } from "./profile.ts";

/** What is not named stays; a change that changes nothing is no fact. */
export function changeProfile(
  { data: { changes, at } }: ChangeProfile,
  { accountId, erasedAt, profile }: OpenAccountState,
): Decision<AccountEvent> {
  if (erasedAt !== undefined)
    return reject("account-not-open", "The account's personal data was erased: it gets no new profile.");
  const { version, changedAt: _, ...known } = profile;
  const fields = { ...known, ...changes };
  if (fields.kind === known.kind && profileTexts.every((field) => fields[field] === known[field]))
    return accept();
  const { postal_code: postalCode, vat_id: vatId, ...rest } = fields;
  return accept({
    type: "ProfileChanged",
    data: { accountId, version: version + 1, ...rest, postalCode, vatId, changedAt: at },
  });
}
