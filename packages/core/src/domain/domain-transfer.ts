import { assertNever } from "../kernel/assert-never.ts";
import { accept, CorruptStreamError, reject, type Decision } from "../kernel/decider.ts";
import type { TransferNameCommand } from "./domain.commands.ts";
import type { DomainTransferEvent } from "./domain.events.ts";
import { newDomain } from "./domain-registration.ts";
import { freed, holderOf, type DomainState } from "./domain.state.ts";

/** Rules of a transfer's run: like a registration, it reserves the name until it ends. */
export function decideTransfer(
  { type, data }: TransferNameCommand,
  state: DomainState,
): Decision<DomainTransferEvent> {
  if (type === "ReserveTransfer") {
    const { at, ...transfer } = data;
    if (holderOf(state)?.registrationId === data.transferId) return accept();
    if (state.status === "registered") return reject("domain-taken");
    if (state.status !== "free") return reject("registration-in-flight");
    return accept({ type: "TransferReserved", data: { ...transfer, reservedAt: at } });
  }
  if (type === "ReleaseTransfer" && state.status === "free") return accept();
  if (holderOf(state)?.registrationId !== data.transferId) return reject("registration-not-found");
  if (state.status !== "transferring") return type === "TransferDomainIn" ? accept() : reject("domain-taken");
  const { domainId, accountId, name, autoRenew } = state.reservation;
  switch (type) {
    case "ReleaseTransfer": {
      const { transferId, reason, at } = data;
      const about = { transferId, domainId, accountId, name };
      return accept({ type: "TransferReleased", data: { ...about, reason, releasedAt: at } });
    }
    case "TransferDomainIn": {
      const { at, ...held } = data;
      const owned = { domainId, accountId, name, autoRenew };
      return accept({ type: "DomainTransferredIn", data: { ...owned, ...held, transferredAt: at } });
    }
    default:
      return assertNever(type);
  }
}

/** Applies a transfer's event to a name. @throws CorruptStreamError if the event cannot follow the state. */
export function evolveTransfer(state: DomainState, event: DomainTransferEvent): DomainState {
  if (event.type === "TransferReserved") {
    if (state.status !== "free") throw new CorruptStreamError(event.type, state.status);
    const { transferId: registrationId, domainId, accountId, name, autoRenew, nameservers } = event.data;
    const { provider } = event.data;
    const asked = { registrationId, domainId, accountId, name, years: 1, autoRenew, provider };
    const { leftZone } = state;
    const reservation = { ...asked, requestedNameservers: nameservers, ...(leftZone && { leftZone }) };
    return { status: "transferring", reservation };
  }
  if (state.status !== "transferring") throw new CorruptStreamError(event.type, state.status);
  switch (event.type) {
    case "TransferReleased":
      return freed(state.reservation.leftZone);
    case "DomainTransferredIn":
      // The delegation stays unchanged, so that the name still resolves after the transfer.
      return { status: "registered", domain: newDomain(state.reservation, event.data, false) };
    default:
      return assertNever(event);
  }
}
