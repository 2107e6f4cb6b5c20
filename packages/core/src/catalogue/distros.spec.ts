import { describe, expect, it } from "vitest";

import { defaultDistro, distroName, distros, parseDistro } from "./distros.ts";

describe("the distributions", () => {
  it("are listed by id, each once", () => {
    const ids = distros.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
    expect(new Set(distros.map(distroName)).size).toBe(distros.length);
  });

  it("have the default among them", () => {
    expect(distros).toContainEqual(defaultDistro);
    expect(distroName(defaultDistro)).toBe("Debian 13");
  });

  it.each(distros)("$name $version is found by its id", (distro) => {
    expect(parseDistro(BigInt(distro.id))).toEqual({ ok: true, value: distro });
  });

  it.each([0n, -1n, 10_000n, 2n ** 64n + 1n, 2n ** 53n + 1n])("%s is no id of a distribution", (id) => {
    expect(parseDistro(id)).toEqual({ ok: false, error: "must be a distribution of GET /distros" });
  });
});
