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
const disabledFor = (times: number): WebhookEvent => ({
  type: "WebhookDisabled",
  data: { ...which, disabledAt: at, times },
});
const disabled = disabledFor(1);
const paused: WebhookEvent = { type: "WebhookPaused", data: { ...which, pausedAt: at } };
const enabled: WebhookEvent = { type: "WebhookEnabled", data: { ...which, enabledAt: at } };
const change = (changes: object): WebhookCommand => ({
  type: "ChangeWebhook",
  data: { ...which, ...changes, at },
});
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

  it("are replaced by a repeated request, because nobody saw the first one's secret", () => {
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

  it("still sign with the receiver's secret after a repeated rotation", () => {
    const again = [created(), rotated, rotatedTo("whsec_c")].reduce(webhooks.evolve, webhooks.initialState);
    const state = again.get(1);
    expect(state && signingSecrets(state, at)).toEqual(["whsec_c", "whsec_a"]);
  });

  it("are disabled once", () => {
    const disable: WebhookCommand = { type: "DisableWebhook", data: { ...which, since: at, at } };
    spec.given(created()).when(disable).then(disabled);
    spec.given(created(), disabled).when(disable).thenNothing();
    spec.given().when(disable).thenRejected("not-found");
  });

  it("are disabled again after they were enabled, and not for earlier answers of the endpoint", () => {
    const disable = (since: string): WebhookCommand => ({
      type: "DisableWebhook",
      data: { ...which, since, at: tomorrow },
    });
    const again = { ...disabledFor(2), data: { ...which, disabledAt: tomorrow, times: 2 } } as WebhookEvent;
    spec.given(created(), disabled, enabled).when(disable(at)).then(again);
    const before = "2026-11-23T03:59:59.999999Z";
    spec.given(created(), disabled, enabled).when(disable(before)).thenNothing();
    const data = { ...which, url: "https://b.example", kinds: null, changedAt: tomorrow };
    spec.given(created(), { type: "WebhookChanged", data }).when(disable(at)).thenNothing();
  });

  it("are edited, paused and enabled, without an event if nothing changes", () => {
    const edited = (url: string, kinds: string[] | null): WebhookEvent => ({
      type: "WebhookChanged",
      data: { ...which, url, kinds, changedAt: at },
    });
    const kinds = ["domain.renewed"];
    spec
      .given(created())
      .when(change({ url: "https://b.example" }))
      .then(edited("https://b.example", null));
    spec.given(created()).when(change({ kinds })).then(edited("https://a.example", kinds));
    spec.given(created(), edited("https://a.example", kinds)).when(change({ kinds })).thenNothing();
    spec
      .given(created())
      .when(change({ isEnabled: true, kinds: null }))
      .thenNothing();
    spec
      .given(created())
      .when(change({ isEnabled: false }))
      .then(paused);
    spec
      .given(created(), paused)
      .when(change({ isEnabled: false }))
      .thenNothing();
    spec
      .given(created(), disabled)
      .when(change({ isEnabled: true }))
      .then(enabled);
    spec
      .given(created(), paused)
      .when(change({ kinds, isEnabled: true }))
      .then(edited("https://a.example", kinds), enabled);
    spec
      .given()
      .when(change({ isEnabled: true }))
      .thenRejected("not-found");
  });

  it("refuse events that cannot follow", () => {
    const { evolve, initialState } = webhooks;
    expect(() => [created(), created()].reduce(evolve, initialState)).toThrow(CorruptStreamError);
    expect(() => evolve(initialState, deleted)).toThrow(CorruptStreamError);
  });
});
