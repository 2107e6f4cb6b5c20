import {
  quoteServerOrder,
  quoteServerRenewal,
  registrationLines,
  renewalLines,
  restorationLines,
  serverOrderLines,
  serverRenewalLines,
} from "@hostledger/core";
import { describe, expect, it } from "vitest";

import { textsIn } from "./languages.ts";

const sold = [
  [registrationLines("example.com", 2, 1_000n), "Registrierung von example.com, je Jahr"],
  [renewalLines("example.com", 2, 1_000n), "Verlängerung von example.com, je Jahr"],
  [restorationLines("example.com", 1, 5_000n), "Wiederherstellung von example.com, mit einem Jahr"],
  [
    serverOrderLines("Small, fast", quoteServerOrder(999n, 1)),
    "Server Small, fast, 1 Monat, 9,99 EUR im Monat",
  ],
  [
    serverRenewalLines("S", quoteServerRenewal(999n, 12, true)),
    "Verlängerung eines Servers S, 12 Monate, 9,99 EUR im Monat, 15 % Rabatt, 10 % Zuschlag während der Sperre",
  ],
  [[{ description: "Transfer of example.com, with a year" }], "Umzug von example.com, mit einem Jahr"],
  [[{ description: "Balance top-up" }], "Aufladung des Guthabens"],
  [[{ description: "Consulting on Sunday" }], "Consulting on Sunday"],
] as const;

describe("a document's texts", () => {
  it.each(sold)("translate the names of sold services: %o", ([{ description: english }], german) => {
    expect(textsIn("de").line(english)).toBe(german);
    expect(textsIn("en").line(english)).toBe(english);
  });

  it("write days, periods and amounts as the language does", () => {
    const [de, en] = [textsIn("de"), textsIn("en")];
    expect([de.day("2026-11-21"), en.day("2026-11-21")]).toEqual(["21.11.2026", "2026-11-21"]);
    expect(de.period("2026-11-21", "2027-11-20")).toBe("21.11.2026 bis 20.11.2027");
    expect(en.period("2026-11-21", "2027-11-20")).toBe("2026-11-21 to 2027-11-20");
    expect(de.period("2026-11-21", "2026-11-21")).toBe("21.11.2026");
    expect([de.amount("-1234.56"), en.amount("-1234.56")]).toEqual(["-1234,56", "-1234.56"]);
  });
});
