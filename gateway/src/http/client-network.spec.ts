import { expect, it } from "vitest";

import { networkOf } from "./client-network.ts";

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:db8:1:2::", "2001:db8:1:2"],
  ["::1", "0:0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["64:ff9b::192.0.2.7", "64:ff9b:0:0"],
  [undefined, "unknown"],
  ["_hidden", "unknown"],
  ["x".repeat(10_000), "unknown"],
])("counts %s as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
