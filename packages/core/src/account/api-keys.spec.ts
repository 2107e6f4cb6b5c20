import { describe, expect, it } from "vitest";

import { deciderSpec } from "../testing/decider-spec.ts";
import { account } from "./account.decider.ts";
import { accountCodec, type AccountEvent } from "./account.events.ts";
import { at, opened } from "./account.fixture.ts";
import { apiKeyIssued, issueApiKey } from "./api-keys.fixture.ts";
import { isWithin } from "../kernel/ip-network.ts";
import { hasScope, parseAddresses, parseScopes, scopesBeforePayments } from "./api-key-scopes.ts";
import { isInForce } from "../kernel/credential-term.ts";
import { maximumOwnKeys } from "./api-keys.ts";

const spec = deciderSpec(account);
const later = "2026-06-01T00:00:00.000000Z";
const latest = "2027-01-01T00:00:00.000000Z";
const revoked = (keyId: number): AccountEvent => ({
  type: "ApiKeyRevoked",
  data: { keyId, keyHash: "ab".repeat(32), revokedAt: at },
});

describe("a key issued by staff", () => {
  it("has the given scopes, term and addresses, or no limits", () => {
    const limits = {
      label: "web",
      scopes: ["dns:txt"],
      expiresAt: later,
      addresses: ["192.0.2.0/24"],
    } as const;
    spec.given(opened()).when(issueApiKey(limits)).then(apiKeyIssued(limits));
    spec.given(opened()).when(issueApiKey()).then(apiKeyIssued());
  });

  it("needs a term in the future", () => {
    spec
      .given(opened())
      .when(issueApiKey({ expiresAt: at }))
      .thenRejected("validation-failed");
  });
});

describe("a key that a customer creates with another key", () => {
  const made = { keyId: 6, operationId: "operation-6", issuedBy: 5 } as const;
  const from = (issuer: Parameters<typeof apiKeyIssued>[0], key: Parameters<typeof issueApiKey>[0]) =>
    spec.given(opened(), apiKeyIssued(issuer)).when(issueApiKey({ ...made, ...key }));
  const { keyId, operationId } = made;

  it("inherits the other key's limits by default", () => {
    const limits = { scopes: ["keys", "dns"], expiresAt: later, addresses: ["192.0.2.0/24"] } as const;
    from(limits, {}).then(apiKeyIssued({ ...limits, keyId, operationId }));
    from({}, {}).then(apiKeyIssued({ keyId, operationId }));
  });

  it("may have narrower limits", () => {
    const issuer = {
      scopes: ["keys", "dns"],
      expiresAt: latest,
      addresses: ["192.0.2.0/24", "2001:db8::/32"],
    };
    const less = {
      scopes: ["dns:txt"],
      expiresAt: later,
      addresses: ["192.0.2.7", "2001:db8:1::/48"],
    } as const;
    from(issuer, less).then(apiKeyIssued({ ...less, keyId, operationId }));
    from({}, less).then(apiKeyIssued({ ...less, keyId, operationId }));
  });

  it("never has wider limits", () => {
    from({ scopes: ["keys", "dns:txt"] }, { scopes: ["dns"] }).thenRejected("missing-scope");
    from({ scopes: ["keys", "read"] }, { scopes: ["domains"] }).thenRejected("missing-scope");
    from({ expiresAt: later }, { expiresAt: latest }).thenRejected("unauthorized");
    from({ addresses: ["192.0.2.0/24"] }, { addresses: ["192.0.0.0/16"] }).thenRejected("unauthorized");
    from({ addresses: ["192.0.2.0/24"] }, { addresses: ["2001:db8::1"] }).thenRejected("unauthorized");
  });

  it("needs a valid key", () => {
    const key = issueApiKey(made);
    spec.given(opened()).when(key).thenRejected("unauthenticated");
    spec.given(opened(), apiKeyIssued(), revoked(5)).when(key).thenRejected("unauthenticated");
  });

  it("is refused after a hundred valid keys", () => {
    const keys = Array.from({ length: maximumOwnKeys }, (_, index) =>
      apiKeyIssued({ keyId: 100 + index, operationId: `operation-${String(100 + index)}` }),
    );
    const key = issueApiKey({ ...made, issuedBy: 100 });
    spec
      .given(opened(), ...keys)
      .when(key)
      .thenRejected("too-many-api-keys");
    spec
      .given(opened(), ...keys, revoked(101))
      .when(key)
      .then(apiKeyIssued({ keyId, operationId }));
    spec
      .given(opened(), ...keys)
      .when(issueApiKey({ ...made, issuedBy: null }))
      .then(apiKeyIssued({ keyId, operationId }));
  });

  it("replaces the key of an earlier run of the same request, which was never shown", () => {
    spec
      .given(opened(), apiKeyIssued(), apiKeyIssued({ keyId, operationId }))
      .when(issueApiKey({ ...made, keyId: 7 }))
      .then(revoked(6), apiKeyIssued({ keyId: 7, operationId }));
  });
});

it("a key from before scopes existed has no end, and every scope but the right to move money", () => {
  const stored = { keyId: 5, keyHash: "ab".repeat(32), prefix: "hl_abcd", issuedAt: at };
  const event = accountCodec.decode("ApiKeyIssued.v1", JSON.stringify(stored));
  const state = [opened(), event].reduce(account.evolve, account.initialState);
  expect(state).toMatchObject({ status: "open" });
  const key = state.status === "open" ? state.apiKeys.get(5) : undefined;
  expect(key).toMatchObject({
    scopes: scopesBeforePayments,
    expiresAt: null,
    addresses: [],
    revokedAt: null,
  });
  expect(hasScope(null, "domains")).toBe(true);
});

it.each([
  ["ApiKeyIssued.v2", scopesBeforePayments],
  ["ApiKeyIssued.v3", null],
] as const)("a key without scopes of %s has the scopes %o", (stored, scopes) => {
  const event = accountCodec.decode(stored, JSON.stringify(apiKeyIssued({ scopes: null }).data));
  expect(event.data).toMatchObject({ scopes });
  expect(hasScope(scopes, "payments")).toBe(scopes === null);
  expect(hasScope(scopes, "billing")).toBe(true);
});

it("a key is valid until the instant of its expiry", () => {
  const key = { revokedAt: null, expiresAt: later };
  expect(isInForce(key, at)).toBe(true);
  expect(isInForce(key, later)).toBe(false);
  expect(isInForce({ ...key, revokedAt: at }, at)).toBe(false);
});

describe("scopes", () => {
  it("are read once each, and an empty list means none were named", () => {
    expect(parseScopes(["dns", "read", "dns"])).toEqual({ ok: true, value: ["read", "dns"] });
    expect(parseScopes([])).toEqual({ ok: true, value: null });
    expect(parseScopes(["dns", "root"]).ok).toBe(false);
  });

  it("of records include those of texts, not vice versa", () => {
    expect(hasScope(["dns"], "dns:txt")).toBe(true);
    expect(hasScope(["dns:txt"], "dns")).toBe(false);
  });
});

describe("addresses", () => {
  it.each(["192.0.2.7", "192.0.2.0/24", "0.0.0.0/0", "2001:db8::/32", "::1", "::ffff:192.0.2.7", "::/0"])(
    "%s is an address or a network",
    (text) => {
      expect(parseAddresses([text])).toEqual({ ok: true, value: [text] });
    },
  );

  it.each([
    "",
    "example.com",
    "192.0.2",
    "192.0.2.0/33",
    "192.0.2.0/",
    "192.0.2.0/024",
    "::/129",
    "1.2.3.4/8/8",
  ])("%j is invalid", (text) => {
    expect(parseAddresses([text]).ok).toBe(false);
  });

  it("are at most twenty", () => {
    expect(parseAddresses(Array.from({ length: 21 }, () => "192.0.2.7")).ok).toBe(false);
  });

  it.each<[inner: string, network: string, isInside: boolean]>([
    ["192.0.2.7", "192.0.2.0/24", true],
    ["192.0.3.7", "192.0.2.0/24", false],
    ["::ffff:192.0.2.7", "192.0.2.7", true],
    ["192.0.2.7", "::ffff:192.0.2.0/120", true],
    ["2001:DB8:0::7", "2001:db8::/32", true],
    ["2001:db9::7", "2001:db8::/32", false],
    ["192.0.2.7", "0.0.0.0/0", true],
    ["2001:db8::7", "0.0.0.0/0", false],
    ["unknown", "0.0.0.0/0", false],
  ])("%s in %s: %s", (inner, network, isInside) => {
    expect(isWithin(inner, ["198.51.100.1", network])).toBe(isInside);
  });
});
