import { describe, expect, it } from "vitest";
import { z } from "zod";

import { ConfigurationError, createConfigurationReader } from "./configuration.ts";
import { oneOf, path, runtimeSettings, settings, text, wholeNumber } from "./settings.ts";

const shop = {
  colour: oneOf("red", "blue")
    .default("red")
    .register(settings, { variable: "HOSTLEDGER_COLOUR", flag: "--colour", meaning: "colour of the shop" }),
  priceCents: text("must be cents", /^\d+$/)
    .transform(BigInt)
    .optional()
    .register(settings, { variable: "HOSTLEDGER_PRICE", meaning: "what it costs", decimals: 2 }),
  key: text("must be four letters", /^[a-z]{4}$/)
    .optional()
    .register(settings, { variable: "HOSTLEDGER_KEY", meaning: "opens the shop", secret: true }),
};
const reader = createConfigurationReader(z.object({ ...runtimeSettings, ...shop }));

describe("a configuration of sections", () => {
  it("has the defaults of each", () => {
    expect(reader.read({ HOME: "/" })).toEqual({
      data: "./data",
      clockOffsetMs: 0,
      logLevel: "info",
      logFormat: "json",
      colour: "red",
    });
  });

  it("says all mistakes of all at once, with the name that was used, and no secret", () => {
    const read = (): unknown =>
      reader.read(
        { HOSTLEDGER_LOG_LEVEL: "loud", HOSTLEDGER_KEY: "hunter2", HOSTLEDGER_COLUR: "" },
        {
          colour: "green",
        },
      );
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(
      [
        "HOSTLEDGER_COLUR is not a setting; did you mean HOSTLEDGER_COLOUR?",
        'HOSTLEDGER_LOG_LEVEL must be one of: fatal, error, warn, info, debug, trace, silent, not "loud".',
        '--colour must be one of: red, blue, not "green".',
        "HOSTLEDGER_KEY must be four letters.",
      ].join("\n"),
    );
  });

  it("tells what is in force in the order of its sections", () => {
    const described = reader.describe(reader.read({ HOSTLEDGER_PRICE: "5", HOSTLEDGER_KEY: "open" }));
    expect(described.map(({ variable, value }) => `${variable}=${value}`)).toEqual([
      "HOSTLEDGER_DATA=./data",
      "HOSTLEDGER_CLOCK_OFFSET=0",
      "HOSTLEDGER_LOG_LEVEL=info",
      "HOSTLEDGER_LOG_FORMAT=json",
      "HOSTLEDGER_COLOUR=red",
      "HOSTLEDGER_PRICE=0.05",
      "HOSTLEDGER_KEY=(hidden)",
    ]);
    expect(reader.describe(reader.read({})).at(-1)?.value).toBe("(not set)");
  });

  it("cannot be made of a setting without a name, or of two with the same", () => {
    expect(() => createConfigurationReader(z.object({ nameless: path() }))).toThrow(
      "the setting nameless has no variable",
    );
    const again = wholeNumber(0, 1).register(settings, {
      variable: "HOSTLEDGER_COLOUR",
      meaning: "the same once more",
    });
    expect(() => createConfigurationReader(z.object({ ...shop, again }))).toThrow(
      "two settings are called HOSTLEDGER_COLOUR",
    );
  });
});
