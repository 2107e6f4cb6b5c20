import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { ConfigurationError, createConfigurationReader, didYouMean } from "./configuration.ts";
import { oneOf, path, runtimeSettings, settings, text, wholeNumber } from "./settings.ts";
import { directoryOfSuite } from "./testing/temporary-directory.ts";

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

  it("reports the mistakes of all sections at once, with the used name, and without secrets", () => {
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

  it("lists the settings in force in the order of its sections", () => {
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

describe("a secret in a file", () => {
  const directory = directoryOfSuite();
  const fileWith = (content: string): string => {
    const file = join(directory, "key");
    writeFileSync(file, content);
    return file;
  };
  const read = (environment: Record<string, string>) => () => reader.read(environment);

  it("is the variable's value, without the line's end, and is hidden", () => {
    const configuration = reader.read({ HOSTLEDGER_KEY_FILE: fileWith("open\n") });
    expect(configuration.key).toBe("open");
    expect(reader.describe(configuration).at(-1)?.value).toBe("(hidden)");
  });

  it("is refused under the file's variable, and never shown", () => {
    expect(read({ HOSTLEDGER_KEY_FILE: fileWith("hunter2") })).toThrow(
      /^HOSTLEDGER_KEY_FILE must be four letters\.$/,
    );
  });

  it("must be readable, not empty, and no large file", () => {
    const missing = join(directory, "missing");
    expect(read({ HOSTLEDGER_KEY_FILE: missing })).toThrow(
      "names a file that cannot be read: there is no such file or directory.",
    );
    expect(read({ HOSTLEDGER_KEY_FILE: directory })).toThrow(
      "names a file that cannot be read: it is a directory.",
    );
    expect(read({ HOSTLEDGER_KEY_FILE: fileWith("\n") })).toThrow("names a file that is empty.");
    const large = fileWith("x".repeat(65_537));
    expect(read({ HOSTLEDGER_KEY_FILE: large })).toThrow("names a file of more than 65536 octets");
  });

  it("is not set twice, and other settings have no file", () => {
    const HOSTLEDGER_KEY_FILE = fileWith("open");
    expect(read({ HOSTLEDGER_KEY: "open", HOSTLEDGER_KEY_FILE })).toThrow(
      /^HOSTLEDGER_KEY and HOSTLEDGER_KEY_FILE must not both be set\.$/,
    );
    expect(read({ HOSTLEDGER_COLOUR_FILE: HOSTLEDGER_KEY_FILE })).toThrow(
      "HOSTLEDGER_COLOUR_FILE is not a setting",
    );
  });
});

describe("didYouMean", () => {
  const known = ["HOST", "PORT", "ADMIN_PORT", "EVENT_STORE"];

  it.each([
    ["PROT", "PORT"],
    ["EVENTSTORE", "EVENT_STORE"],
    ["ADMINPORT", "ADMIN_PORT"],
    ["PORT", "PORT"],
  ])("reads %s as %s", (typed, meant) => {
    expect(didYouMean(typed, known)).toBe(meant);
  });

  it.each(["", "SOMETHING_ELSE", "X"])("has no idea about %j", (typed) => {
    expect(didYouMean(typed, known)).toBeUndefined();
  });
});
