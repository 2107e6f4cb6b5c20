import { describe, expect, it } from "vitest";

import { CorruptStreamError } from "../kernel/decider.ts";
import { deciderSpec } from "../testing/decider-spec.ts";
import { maximumWebhooks, signingSecrets, webhooks, type WebhookCommand } from "./webhook.decider.ts";
import type { WebhookEvent } from "./webhook.events.ts";

const spec = deciderSpec(webhooks);
const at = "2026-11-23T04:00:00.000000Z";
const tomorrow = "2026-11-24T04:00:00.000000Z";
const which = { accountId: 7, webhookId: 1 };

function created(webhookId = 1, operationId = `operation-${String(webhookId)}`): WebhookEvent {
  const data = {
    accountId: 7,
    webhookId,
    url: "https://a.example",
    kinds: null,
    secret: "whsec_a",
    operationId,
  };
  return { type: "WebhookCreated", data: { ...data, createdAt: at } };
}

function create(webhookId = 1, operationId = `operation-${String(webhookId)}`): WebhookCommand {
  const data = {
    accountId: 7,
    webhookId,
    url: "https://a.example",
    kinds: null,
    secret: "whsec_a",
    operationId,
  };
  return { type: "CreateWebhook", data: { ...data, at } };
}

const deleted: WebhookEvent = { type: "WebhookDeleted", data: { ...which, deletedAt: at } };
const disabled: WebhookEvent = { type: "WebhookDisabled", data: { ...which, disabledAt: at } };
const operationId = "rotation-1";
const rotatedTo = (secret: string): WebhookEvent => ({
  type: "WebhookSecretRotated",
  data: { ...which, secret, formerSecretUntil: tomorrow, operationId, rotatedAt: at },
});
const rotated = rotatedTo("whsec_b");
const rotate = (secret: string): WebhookCommand => ({
  type: "RotateWebhookSecret",
  data: { ...which, secret, operationId, at },
});

describe("the webhooks of an account", () => {
  it("are created and deleted, each once", () => {
    spec.given().when(create()).then(created());
    spec.given(created()).when(create()).thenNothing();
    const remove: WebhookCommand = { type: "DeleteWebhook", data: { ...which, at } };
    spec.given(created()).when(remove).then(deleted);
    spec.given(created(), deleted).when(remove).thenRejected("not-found");
  });

  it("are replaced by a request that is run again, since nobody was shown the first one's secret", () => {
    spec.given(created(1, "same")).when(create(2, "same")).then(deleted, created(2, "same"));
  });

  it("are a hundred at most", () => {
    const full = Array.from({ length: maximumWebhooks }, (_, index) => created(index + 1));
    spec
      .given(...full)
      .when(create(101))
      .thenRejected("too-many-webhooks");
    spec
      .given(...full, deleted)
      .when(create(101))
      .then(created(101));
  });

  it("sign with both secrets for a day after a rotation", () => {
    spec.given(created()).when(rotate("whsec_b")).then(rotated);
    spec.given(created(), rotated).when(rotate("whsec_b")).thenNothing();
    const state = [created(), rotated].reduce(webhooks.evolve, webhooks.initialState).get(1);
    expect(state && signingSecrets(state, at)).toEqual(["whsec_b", "whsec_a"]);
    expect(state && signingSecrets(state, tomorrow)).toEqual(["whsec_b"]);
  });

  it("still sign with the secret that their receiver knows when a rotation is run again", () => {
    const again = [created(), rotated, rotatedTo("whsec_c")].reduce(webhooks.evolve, webhooks.initialState);
    const state = again.get(1);
    expect(state && signingSecrets(state, at)).toEqual(["whsec_c", "whsec_a"]);
  });

  it("are disabled once", () => {
    const disable: WebhookCommand = { type: "DisableWebhook", data: { ...which, at } };
    spec.given(created()).when(disable).then(disabled);
    spec.given(created(), disabled).when(disable).thenNothing();
    spec.given().when(disable).thenRejected("not-found");
  });

  it("have no facts that cannot follow", () => {
    const { evolve, initialState } = webhooks;
    expect(() => [created(), created()].reduce(evolve, initialState)).toThrow(CorruptStreamError);
    expect(() => evolve(initialState, deleted)).toThrow(CorruptStreamError);
  });
});
