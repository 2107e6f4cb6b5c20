import { Code, ConnectError } from "@connectrpc/connect";
import { parsed, parseId, parseYears, unparsable } from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { rejectionOf } from "./rejection-error.ts";
import { validated } from "./validated.ts";

function refusalOf(validate: () => unknown): unknown {
  try {
    validate();
  } catch (error) {
    return error;
  }
  throw new Error("expected a refusal");
}

describe("the parsed fields of a request", () => {
  it("become their values, each of its own type", () => {
    const values = validated({ accountId: parseId(7n), years: parseYears(2), name: parsed("Ada") });
    const { accountId, years, name }: { accountId: number; years: number; name: string } = values;
    expect({ accountId, years, name }).toEqual({ accountId: 7, years: 2, name: "Ada" });
  });

  it("may have values that are nothing", () => {
    expect(validated({ none: parsed(undefined), empty: parsed(null), no: parsed(false) })).toEqual({
      none: undefined,
      empty: null,
      no: false,
    });
  });

  it("may be none", () => {
    expect(validated({})).toEqual({});
  });

  it("are refused together, naming every field that breaks its rule and no other", () => {
    const error = refusalOf(() =>
      validated({ accountId: parseId(0n), years: parseYears(2), name: unparsable("must not be empty") }),
    );
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ code: Code.InvalidArgument });
    expect(rejectionOf(error)).toEqual({
      code: "validation-failed",
      message: "accountId must be a positive id; name must not be empty.",
      detail: { fieldErrors: { accountId: ["must be a positive id"], name: ["must not be empty"] } },
    });
  });
});
