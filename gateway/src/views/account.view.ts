import type { account as messages } from "@hostledger/protocol";
import type { z } from "zod";

import type * as schemas from "../schemas/account.schema.ts";
import { present } from "./view.codec.ts";

/** Returns a profile; unknown values are null. */
export function profileView(
  accountId: bigint,
  answer: messages.GetProfileResponse,
): z.output<typeof schemas.accountProfile> {
  const profile = present(answer.profile, "GetProfileResponse.profile");
  const shown = (text: string): string | null => (text === "" ? null : text);
  return {
    id: Number(accountId),
    kind: shown(profile.kind),
    name: shown(profile.name),
    organisation: shown(profile.organisation),
    street: shown(profile.street),
    city: shown(profile.city),
    postal_code: shown(profile.postalCode),
    country: shown(profile.country),
    email: shown(profile.email),
    phone: shown(profile.phone),
    vat_id: shown(profile.vatId),
    missing: answer.missing,
    updated_at: answer.changedAt ?? null,
  };
}
