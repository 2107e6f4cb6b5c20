import { Map as PersistentMap } from "immutable";

import { addMilliseconds } from "../calendar/calendar.ts";
import { assertNever } from "../kernel/assert-never.ts";
import {
  accept,
  CorruptStreamError,
  reject,
  type Command,
  type Decider,
  type Decision,
} from "../kernel/decider.ts";
import type { NoticeKind } from "../kernel/notice-kinds.ts";
import type { WebhookEvent } from "./webhook.events.ts";

/** Maximum webhooks of an account. */
export const maximumWebhooks = 100;

/** Time that the former secret signs beside a new one: a day, in milliseconds. */
export const formerSecretMs = 86_400_000;

interface Which {
  readonly accountId: number;
  readonly webhookId: number;
}

/** Creates a webhook. Running the operation again replaces the webhook, because the customer never saw the first secret. */
export type CreateWebhook = Command<
  "CreateWebhook",
  Which & {
    readonly url: string;
    /** Null for all kinds. */
    readonly kinds: readonly NoticeKind[] | null;
    readonly secret: string;
    readonly operationId: string;
  }
>;

/** Gives a webhook a new secret. Running the operation again replaces the secret that the customer never saw. */
export type RotateWebhookSecret = Command<
  "RotateWebhookSecret",
  Which & { readonly secret: string; readonly operationId: string }
>;

/** Edits, pauses or enables a webhook without changing its secret. Absent fields stay unchanged. */
export type ChangeWebhook = Command<
  "ChangeWebhook",
  Which & {
    readonly url?: string;
    readonly kinds?: readonly NoticeKind[] | null;
    readonly isEnabled?: boolean;
  }
>;

/** Disables a webhook whose endpoint does not answer. A webhook edited or enabled after `since` stays enabled. */
export type DisableWebhook = Command<
  "DisableWebhook",
  Which & {
    /** Start of the endpoint's failures. */
    readonly since: string;
  }
>;

export type DeleteWebhook = Command<"DeleteWebhook", Which>;

export type WebhookCommand =
  | CreateWebhook
  | ChangeWebhook
  | RotateWebhookSecret
  | DisableWebhook
  | DeleteWebhook;

export interface Webhook {
  readonly webhookId: number;
  readonly url: string;
  readonly kinds: readonly string[] | null;
  readonly secret: string;
  /** The former secret, which signs until `until`. */
  readonly former: { readonly secret: string; readonly until: string } | undefined;
  /** The request that created the secret. */
  readonly operationId: string;
  readonly createdAt: string;
  /** Time when the webhook was disabled or paused; undefined while it is active. */
  readonly disabledAt: string | undefined;
  /** True if the account paused the webhook. */
  readonly isPaused: boolean;
  /** Time when the account last created, edited or enabled the webhook. */
  readonly configuredAt: string;
  readonly timesDisabled: number;
}

export type WebhookState = PersistentMap<number, Webhook>;

/** Rules of an account's webhooks (stream `webhook-<account>`). */
export const webhooks: Decider<WebhookCommand, WebhookState, WebhookEvent> = {
  initialState: PersistentMap(),
  decide,
  evolve,
};

/** Returns the secrets that sign at an instant, the present secret first. */
export function signingSecrets({ secret, former }: Webhook, at: string): readonly string[] {
  return former !== undefined && at < former.until ? [secret, former.secret] : [secret];
}

function decide(command: WebhookCommand, state: WebhookState): Decision<WebhookEvent> {
  if (command.type === "CreateWebhook") return create(command, state);
  const { accountId, webhookId, at } = command.data;
  const webhook = state.get(webhookId);
  if (webhook === undefined) return reject("not-found", "There is no such webhook.");
  switch (command.type) {
    case "ChangeWebhook":
      return accept(...changes(command, webhook));
    case "RotateWebhookSecret": {
      const { secret, operationId } = command.data;
      if (secret === webhook.secret) return accept();
      return accept({
        type: "WebhookSecretRotated",
        data: {
          accountId,
          webhookId,
          secret,
          formerSecretUntil: addMilliseconds(at, formerSecretMs),
          operationId,
          rotatedAt: at,
        },
      });
    }
    case "DisableWebhook": {
      if (webhook.disabledAt !== undefined || webhook.configuredAt > command.data.since) return accept();
      const times = webhook.timesDisabled + 1;
      return accept({ type: "WebhookDisabled", data: { accountId, webhookId, disabledAt: at, times } });
    }
    case "DeleteWebhook":
      return accept(deletion(accountId, webhookId, at));
    default:
      return assertNever(command);
  }
}

function create({ data }: CreateWebhook, state: WebhookState): Decision<WebhookEvent> {
  const { at, ...created } = data;
  if (state.has(created.webhookId)) return accept();
  // The customer never saw the webhook of the operation's first run.
  const unshown = [...state.values()].filter(({ operationId }) => operationId === created.operationId);
  if (state.size - unshown.length >= maximumWebhooks) return reject("too-many-webhooks");
  return accept(...unshown.map(({ webhookId }) => deletion(created.accountId, webhookId, at)), {
    type: "WebhookCreated",
    data: { ...created, createdAt: at },
  });
}

function changes({ data }: ChangeWebhook, webhook: Webhook): WebhookEvent[] {
  const { accountId, webhookId, at, url = webhook.url, kinds = webhook.kinds, isEnabled } = data;
  const which = { accountId, webhookId };
  const changed: WebhookEvent[] = [];
  if (url !== webhook.url || String(kinds) !== String(webhook.kinds))
    changed.push({
      type: "WebhookChanged",
      data: { ...which, url, kinds: kinds === null ? null : [...kinds], changedAt: at },
    });
  const wasEnabled = webhook.disabledAt === undefined;
  if (isEnabled === false && wasEnabled)
    changed.push({ type: "WebhookPaused", data: { ...which, pausedAt: at } });
  if (isEnabled === true && !wasEnabled)
    changed.push({ type: "WebhookEnabled", data: { ...which, enabledAt: at } });
  return changed;
}

function deletion(accountId: number, webhookId: number, deletedAt: string) {
  return { type: "WebhookDeleted", data: { accountId, webhookId, deletedAt } } as const;
}

function evolve(state: WebhookState, event: WebhookEvent): WebhookState {
  const { webhookId } = event.data;
  const webhook = state.get(webhookId);
  if (event.type === "WebhookCreated") {
    if (webhook !== undefined) throw new CorruptStreamError(event.type, "created");
    const { accountId: _, ...created } = event.data;
    return state.set(webhookId, {
      ...created,
      former: undefined,
      disabledAt: undefined,
      isPaused: false,
      configuredAt: created.createdAt,
      timesDisabled: 0,
    });
  }
  if (webhook === undefined) throw new CorruptStreamError(event.type, "absent");
  switch (event.type) {
    case "WebhookSecretRotated": {
      const { secret, operationId, formerSecretUntil: until } = event.data;
      // If a request runs twice, the receiver still has the secret from before the first run.
      const known = operationId === webhook.operationId ? webhook.former : undefined;
      const former = { secret: known?.secret ?? webhook.secret, until };
      return state.set(webhookId, { ...webhook, secret, former, operationId });
    }
    case "WebhookChanged": {
      const { url, kinds, changedAt: configuredAt } = event.data;
      return state.set(webhookId, { ...webhook, url, kinds, configuredAt });
    }
    case "WebhookDisabled": {
      const { disabledAt, times: timesDisabled } = event.data;
      return state.set(webhookId, { ...webhook, disabledAt, timesDisabled });
    }
    case "WebhookPaused":
      return state.set(webhookId, { ...webhook, disabledAt: event.data.pausedAt, isPaused: true });
    case "WebhookEnabled": {
      const { enabledAt: configuredAt } = event.data;
      return state.set(webhookId, { ...webhook, disabledAt: undefined, isPaused: false, configuredAt });
    }
    case "WebhookDeleted":
      return state.delete(webhookId);
    default:
      return assertNever(event);
  }
}
