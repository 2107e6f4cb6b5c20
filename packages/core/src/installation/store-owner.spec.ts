import { it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { storeOwner } from "./store-owner.ts";

const at = "2026-11-28T10:00:00.000000Z";
const claim = (keys: string, isTakenOver = false) =>
  ({ type: "ClaimStore", data: { keys, isTakenOver, at } }) as const;
const claimed = (keys: string) => ({ type: "StoreClaimed", data: { keys, claimedAt: at } }) as const;

it("a store belongs to its first claimant until staff take it over", () => {
  const spec = deciderSpec(storeOwner);
  spec.given().when(claim("one")).then(claimed("one"));
  spec.given(claimed("one")).when(claim("one")).then();
  spec.given(claimed("one")).when(claim("two")).then();
  spec.given(claimed("one")).when(claim("one", true)).then();
  spec.given(claimed("one")).when(claim("two", true)).then(claimed("two"));
  spec.given(claimed("one"), claimed("two")).when(claim("one")).then();
});
