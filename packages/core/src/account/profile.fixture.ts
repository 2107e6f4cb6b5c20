import type { ChangeProfile } from "./account.commands.ts";
import type { AccountEvent } from "./account.events.ts";
import { at } from "./account.fixture.ts";

/** Examples of a customer's profile, for specs. */

const ada = {
  name: "Ada Lovelace",
  street: "Hauptstraße 1",
  city: "Berlin",
  postalCode: "10115",
  country: "DE",
  email: "ada@example.com",
  phone: "+493012345678",
};

export const organisationProfile = {
  ...ada,
  kind: "organisation",
  organisation: "Analytical Engines GmbH",
  vatId: "DE123456788",
};

export function changeProfile(changes: ChangeProfile["data"]["changes"]): ChangeProfile {
  return { type: "ChangeProfile", data: { changes, at } };
}

export function profileChanged(
  data: Partial<Extract<AccountEvent, { type: "ProfileChanged" }>["data"]> = {},
): Extract<AccountEvent, { type: "ProfileChanged" }> {
  return {
    type: "ProfileChanged",
    data: {
      accountId: 7,
      version: 1,
      ...ada,
      kind: "person",
      organisation: "",
      vatId: "",
      leitwegId: "",
      changedAt: at,
      ...data,
    },
  };
}
