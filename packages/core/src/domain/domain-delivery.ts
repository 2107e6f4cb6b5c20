import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import type { DomainDeliveryCommand } from "./domain.commands.ts";
import type { DomainDeliveryEvent } from "./domain.events.ts";
import type { RegisteredDomain } from "./domain.state.ts";

/** Rules of a new domain's delivery: if it fails, staff retry or abandon it. The domain stays registered. */
export function decideDeliveryWord(
  { type, data }: DomainDeliveryCommand,
  state: RegisteredDomain,
): Decision<DomainDeliveryEvent> {
  const { domainId, accountId, name, registrationId, delivery } = state;
  const { at } = data;
  switch (type) {
    case "SuspendDelivery":
      if (delivery.status !== "open") return accept();
      return accept({
        type: "DomainDeliverySuspended",
        data: { domainId, accountId, name, registrationId, reason: data.reason, suspendedAt: at },
      });
    case "ResumeDelivery":
      if (delivery.status !== "suspended") return reject("run-not-parked");
      return accept({ type: "DomainDeliveryResumed", data: { domainId, resumedAt: at } });
    case "AbandonDelivery":
      if (delivery.status !== "suspended") return reject("run-not-parked");
      return accept({
        type: "DomainDeliveryAbandoned",
        data: { domainId, reason: data.reason, abandonedAt: at },
      });
    default:
      return assertNever(type);
  }
}

/** Applies a delivery's event to a domain. @throws CorruptStreamError if the event cannot follow the state. */
export function evolveDeliveryWord(state: RegisteredDomain, event: DomainDeliveryEvent): RegisteredDomain {
  const { status } = state.delivery;
  switch (event.type) {
    case "DomainDeliverySuspended":
      if (status !== "open") throw new CorruptStreamError(event.type, status);
      return { ...state, delivery: { status: "suspended", reason: event.data.reason } };
    case "DomainDeliveryResumed":
      if (status !== "suspended") throw new CorruptStreamError(event.type, status);
      return { ...state, delivery: { status: "open" } };
    case "DomainDeliveryAbandoned":
      if (status !== "suspended") throw new CorruptStreamError(event.type, status);
      return { ...state, delivery: { status: "abandoned" } };
    default:
      return assertNever(event);
  }
}
