import { projectionSpec, type ExpectedRows } from "@hostledger/read/testing";
import { expect, it, test } from "vitest";

import { examples, stored, typesInStreams } from "./account-subscription.fixture.ts";
import type { profileTables } from "./account.tables.ts";
import { profiles } from "./profiles.projection.ts";

const nothing: ExpectedRows<typeof profileTables> = { profiles: [] };
const { accountId, version, changedAt, name, street, postalCode, city, country } =
  examples.ProfileChanged.data;

test.each(Object.values(examples))("$type", (event) => {
  const expected =
    event.type === "ProfileChanged"
      ? {
          profiles: [
            {
              account_id: accountId,
              version,
              changed_at: changedAt,
              name,
              organisation: "",
              street,
              postal_code: postalCode,
              city,
              country,
              vat_id: event.data.vatId,
              leitweg_id: event.data.leitwegId,
            },
          ],
        }
      : nothing;
  projectionSpec(profiles).when(stored(event)).then(expected);
});

it("stop at no event of the streams they follow", () => {
  expect(Object.keys(profiles.handlers).toSorted()).toEqual(typesInStreams.toSorted());
});
