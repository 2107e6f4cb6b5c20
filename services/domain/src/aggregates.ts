import {
  domain,
  domainCodec,
  priceList,
  priceListCodec,
  type DomainCommand,
  type DomainNameEvent,
  type DomainState,
  type PriceListEvent,
  type PriceListState,
  type SetPrice,
} from "@hostledger/core";
import type { Aggregate } from "@hostledger/event-store";

/** A name's rules with its streams and its stored events. */
export const domainAggregate: Aggregate<DomainCommand, DomainState, DomainNameEvent> = {
  category: "domain",
  decider: domain,
  codec: domainCodec,
};

/** An extension's prices with their streams and their stored events. */
export const priceListAggregate: Aggregate<SetPrice, PriceListState, PriceListEvent> = {
  category: "pricelist",
  decider: priceList,
  codec: priceListCodec,
};
