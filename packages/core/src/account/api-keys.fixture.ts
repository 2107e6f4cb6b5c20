import type { IssueApiKey } from "./account.commands.ts";
import type { ApiKeyIssued } from "./account.events.ts";
import { at } from "./account.fixture.ts";

const apiKey = {
  keyId: 5,
  keyHash: "ab".repeat(32),
  prefix: "hl_abcd",
  label: "",
  scopes: null,
  expiresAt: null,
  addresses: [],
  operationId: "operation-5",
} as const;

/** Staff issue an API key, by default without limits. */
export function issueApiKey(data: Partial<IssueApiKey["data"]> = {}): IssueApiKey {
  return { type: "IssueApiKey", data: { ...apiKey, issuedBy: null, at, ...data } };
}

export function apiKeyIssued(data: Partial<ApiKeyIssued["data"]> = {}): ApiKeyIssued {
  const accountId = (data.label ?? "") === "" ? null : 7;
  return { type: "ApiKeyIssued", data: { ...apiKey, accountId, issuedAt: at, ...data } };
}
