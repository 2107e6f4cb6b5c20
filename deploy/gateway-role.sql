-- What the gateways may do in the database: count requests together, in one table, and nothing else. Safe to run again.
do $$
begin
  if not exists (select from pg_roles where rolname = 'hostledger_gateway') then
    create role hostledger_gateway login;
  end if;
end
$$;
create schema if not exists gateway;
create unlogged table if not exists gateway.rate_counts
  (key varchar(255) primary key, points integer not null default 0, expire bigint);
grant usage on schema gateway to hostledger_gateway;
grant select, insert, update, delete on gateway.rate_counts to hostledger_gateway;
