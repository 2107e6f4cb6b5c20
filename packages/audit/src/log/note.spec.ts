import { createPublicKey, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  generateSigner,
  NoteError,
  openNote,
  parseSignerKey,
  parseVerifierKey,
  signNote,
  type NoteErrorCode,
  type NoteVerifier,
} from "./index.ts";

const text = "hostledger/0011223344556677\n5\nrrrrrrrr\n";
const signer = generateSigner("hostledger/0011223344556677");
const verifier = parseVerifierKey(signer.verifierKey);
const stranger = generateSigner("someone.else");
const note = signNote(text, [signer]);

function codeOf(call: () => unknown): NoteErrorCode | undefined {
  try {
    call();
    return undefined;
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    expect(error.message).toMatch(/^[A-Z].*\.$/su);
    return error.code;
  }
}
const opening = (one: string, verifiers: readonly NoteVerifier[] = [verifier]): NoteErrorCode | undefined =>
  codeOf(() => openNote(one, verifiers));

describe("openNote", () => {
  it("opens a signed note, and names its signers", () => {
    const opened = openNote(note, [parseVerifierKey(stranger.verifierKey), verifier]);
    expect(opened.text).toBe(text);
    expect(opened.signatures.map(({ name, keyId }) => `${name}+${keyId}`)).toEqual([
      `${signer.name}+${signer.keyId}`,
    ]);
    expect(opened.unverified).toEqual([]);
  });

  it("opens every text that a note can have", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (line) => {
        const one = `${line}\n`;
        expect(openNote(signNote(one, [signer]), [verifier]).text).toBe(one);
      }),
    );
  });

  it("preserves an empty line and signature-like lines in the text", () => {
    const odd = `a\n\n— b ${note.slice(-20, -1)}\n\n\nc\n`;
    expect(openNote(signNote(odd, [signer]), [verifier]).text).toBe(odd);
  });

  it("ignores signatures by unknown keys", () => {
    const both = signNote(text, [stranger, signer]);
    const opened = openNote(both, [verifier]);
    expect(opened.signatures).toHaveLength(1);
    expect(opened.unverified.map(({ name }) => name)).toEqual([stranger.name]);
    const witness = `${note}— witness.example ${Buffer.alloc(76, 7).toString("base64")}\n`;
    expect(openNote(witness, [verifier]).unverified).toHaveLength(1);
  });

  it("accepts a log's rotation: both keys sign, and either opens", () => {
    const next = generateSigner(signer.name);
    const rotated = signNote(text, [signer, next]);
    const nextVerifier = parseVerifierKey(next.verifierKey);
    expect(openNote(rotated, [verifier]).signatures).toHaveLength(1);
    expect(openNote(rotated, [nextVerifier]).signatures).toHaveLength(1);
    expect(openNote(rotated, [verifier, nextVerifier]).signatures).toHaveLength(2);
    // After the old key is retired, its verifiers need the new key.
    expect(opening(signNote(text, [next]))).toBe("unknown-key");
  });

  it("refuses a wrong signature by a known key, also beside a right one", () => {
    const next = generateSigner(signer.name);
    const nextVerifier = parseVerifierKey(next.verifierKey);
    const wrongLine = signNote("another text\n", [next]).split("\n").at(-2) ?? "";
    expect(opening(`${note}${wrongLine}\n`)).toBeUndefined();
    expect(opening(`${note}${wrongLine}\n`, [verifier, nextVerifier])).toBe("bad-signature");
  });

  it("refuses the key of the same name that is another, and a key of another name", () => {
    expect(opening(note, [parseVerifierKey(generateSigner(signer.name).verifierKey)])).toBe("unknown-key");
    expect(opening(note, [parseVerifierKey(stranger.verifierKey)])).toBe("unknown-key");
    expect(opening(note, [])).toBe("unknown-key");
  });

  it("refuses every change of one character", () => {
    fc.assert(
      fc.property(fc.nat(note.length - 1), fc.constantFrom("A", "0", "\n", " ", "—"), (at, character) => {
        const changed = note.slice(0, at) + character + note.slice(at + 1);
        fc.pre(changed !== note);
        expect(opening(changed)).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });

  it("refuses every note that was cut", () => {
    for (let length = 0; length < note.length; length += 1)
      expect(opening(note.slice(0, length))).toBeDefined();
  });

  const line = note.split("\n").at(-2) ?? "";
  it.each([
    ["nothing", ""],
    ["no signature", text],
    ["an empty line and no signature", `${text}\n`],
    ["no newline at the end", note.slice(0, -1)],
    ["a carriage return", note.replace("5\n", "5\r\n")],
    ["a tab", note.replace("5\n", "\t5\n")],
    ["a null character", note.replace("5\n", "\u00005\n")],
    ["half a character", note.replace("5\n", "\ud800\n")],
    ["a hyphen for the dash", note.replace("—", "-")],
    ["two spaces", `${text}\n${line.replace("— ", "—  ")}\n`],
    ["a third word", `${text}\n${line} more\n`],
    ["a signature without its key's id", `${text}\n— name AAAA\n`],
    ["base64 without its padding", `${text}\n— name AAAAAAA\n`],
    ["base64 for addresses", `${text}\n— name AAAAAA-_\n`],
    ["a name with a plus sign", `${text}\n— na+me AAAAAAAA\n`],
    ["a blank line behind the signature", `${note}\n`],
    ["text behind the signature", `${note}and more\n`],
    ["more signatures than anyone needs", `${text}\n${`${line}\n`.repeat(101)}`],
    ["a text that is too long", `${"x".repeat(1_000_000)}${note}`],
  ])("refuses %s", (_, one) => {
    expect(opening(one)).toBe("malformed");
  });

  it("counts a repeated signature once", () => {
    expect(openNote(`${note}${line}\n`, [verifier]).signatures).toHaveLength(1);
  });
});

describe("signNote", () => {
  it.each([["no newline"], [""], ["a\r\n"], ["\ud800\n"], ["\u0001\n"]])("refuses the text %j", (one) => {
    expect(codeOf(() => signNote(one, [signer]))).toBe("malformed");
  });
});

describe("note keys", () => {
  it("reads back the keys that it makes", () => {
    const again = parseSignerKey(signer.privateKey);
    expect(again.verifierKey).toBe(signer.verifierKey);
    expect(signNote(text, [again])).toBe(note);
    expect(verifier.verifierKey).toBe(signer.verifierKey);
    expect(generateSigner("a").privateKey).not.toBe(generateSigner("a").privateKey);
  });

  it("has a public key that others read", () => {
    const x = Buffer.from(verifier.publicKey).toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const signature = Buffer.from(note.trim().split(" ").at(-1) ?? "", "base64").subarray(4);
    expect(verify(null, Buffer.from(text), key, signature)).toBe(true);
  });

  it.each(["", "a b", "a+b", "a\tb", "a\u0085b", "a\u00a0b", "a\nb", "\ud800"])(
    "refuses the name %j",
    (name) => {
      expect(codeOf(() => generateSigner(name))).toBe("malformed-key");
    },
  );

  const [name = "", id = "", ...key] = signer.verifierKey.split("+");
  const base64 = key.join("+");
  it.each([
    ["nothing", ""],
    ["a name alone", name],
    ["no key", `${name}+${id}`],
    ["another id", `${name}+00000000+${base64}`],
    ["an id in upper case", `${name}+${id.toUpperCase()}X+${base64}`],
    ["another name", `${name}x+${id}+${base64}`],
    ["a short key", `${name}+${id}+${base64.slice(0, -4)}`],
    ["a key of another kind", `${name}+${id}+${Buffer.alloc(33, 2).toString("base64")}`],
    ["a newline behind it", `${signer.verifierKey}\n`],
    ["a private key", signer.privateKey],
  ])("refuses %s as a verifier key", (_, one) => {
    expect(codeOf(() => parseVerifierKey(one))).toBe("malformed-key");
  });

  it("refuses a verifier key and a damaged key as a private one, and does not repeat it", () => {
    expect(codeOf(() => parseSignerKey(signer.verifierKey))).toBe("malformed-key");
    const damaged = signer.privateKey.replace(`+${id}+`, "+00000000+");
    expect(() => parseSignerKey(damaged)).not.toThrow(damaged.slice(-20));
    expect(codeOf(() => parseSignerKey(damaged))).toBe("malformed-key");
  });
});
