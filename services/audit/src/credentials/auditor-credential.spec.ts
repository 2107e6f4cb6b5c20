import { describe, expect, it } from "vitest";

import { createAuditorCredential, readAuditorCredential } from "./auditor-credential.ts";

const random = "AbCdEfGhIjKlMnOpQrStUvWxYz012_-9";

describe("an auditor's credential", () => {
  it("is read back with its id and its hash", () => {
    const { secret, hash, prefix } = createAuditorCredential(3, random);
    expect(readAuditorCredential(secret)).toEqual({ credentialId: 3, hash });
    expect(secret.startsWith(prefix)).toBe(true);
    expect(prefix).toBe("hla_3_AbCdEf");
    expect(hash).toMatch(/^[0-9a-f]{64}$/u);
  });

  it("is invalid after any change of one character", () => {
    const { secret } = createAuditorCredential(31, random);
    for (let index = 0; index < secret.length; index += 1) {
      const changed = `${secret.slice(0, index)}${secret[index] === "7" ? "8" : "7"}${secret.slice(index + 1)}`;
      expect(readAuditorCredential(changed), changed).toBeUndefined();
    }
  });

  it.each(["", "hla_", "hla_3", `hla_0_${random}00000000`, `hlk_${random}00000000`, `x${random}`])(
    "%s is invalid",
    (text) => {
      expect(readAuditorCredential(text)).toBeUndefined();
    },
  );
});
