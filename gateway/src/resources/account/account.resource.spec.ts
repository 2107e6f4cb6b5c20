import { describe, expect, it } from "vitest";

import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf } from "../../testing/recording.ts";

const known = {
  id: 7,
  kind: "person",
  name: "Ada",
  organisation: null,
  street: null,
  city: null,
  postal_code: null,
  country: null,
  email: null,
  phone: null,
  vat_id: null,
  leitweg_id: null,
  missing: ["street"],
  updated_at: "2026-11-21T01:30:00.000000Z",
};
const profile = {
  profile: { kind: "person", name: "Ada" },
  missing: ["street"],
  changedAt: known.updated_at,
};

const put = (body: object) => ({
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

describe("/account", () => {
  it("shows unknown values as null", async () => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.request("/account")).json).toEqual(known);
  });

  it("changes the named fields, clears those that are null, and passes on nothing else", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      account: {
        changeProfile: ({ changes }) => {
          asked.push(fieldsOf(changes));
          return { profile };
        },
      },
    });
    const body = { name: "Ada", postal_code: "10115", vat_id: null, balance: "9" };
    const answer = await gateway.request("/account", put(body));
    expect(answer).toMatchObject({ status: 200, json: known });
    expect(asked).toEqual([{ name: "Ada", postalCode: "10115", vatId: "" }]);
  });

  it.each([
    [{ name: "x".repeat(10_240) }, "name"],
    [{ name: 5 }, "name"],
    [{ kind: "robot" }, "kind"],
    [{ email: "a@b.com\nx" }, "email"],
    [{ country: ["DE"] }, "country"],
  ])("refuses %j by its field", async (body, field) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/account", put(body));
    expect(answer).toMatchObject({
      status: 422,
      json: { code: "validation_failed", errors: { [field]: [expect.any(String)] } },
    });
  });
});
