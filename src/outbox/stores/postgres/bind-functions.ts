import { OTHER_GATEWAY } from './failure.js';

/**
 * Announces the gateway of a destination that is not bound yet, with an advisory lock that transactions with the same gateway share.
 * Returns false if an open transaction has announced another gateway. It never waits. The next statement sees the binding of
 * a transaction that has committed in the meantime.
 */
const isAlone = (schema: string): string => `
  CREATE FUNCTION ${schema}.is_alone(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $is_alone$
  DECLARE
    destination integer := hashtext('location-sdk ${schema}.' || of_account || ':' || of_environment);
    address integer := hashtext(to_gateway);
    said record;
  BEGIN
    SELECT coalesce(bool_or(l.pid = pg_backend_pid() AND l.objid = address::bigint & 4294967295), false) AS mine, coalesce(bool_or(l.objid <> address::bigint & 4294967295), false) AS others
      INTO said FROM pg_locks AS l WHERE ${announced};
    -- No other transaction had announced a gateway before this one; later ones are refused.
    IF said.mine THEN RETURN true; END IF;
    IF said.others THEN RETURN false; END IF;
    PERFORM pg_advisory_xact_lock_shared(destination, address);
    -- Two transactions that announce one at the same moment both see each other.
    RETURN NOT EXISTS (SELECT 1 FROM pg_locks AS l WHERE ${announced} AND l.objid <> address::bigint & 4294967295);
  END $is_alone$;
`;

const announced = `l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = destination::bigint & 4294967295
        AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`;

/** Binds a destination that is not bound yet. Returns false if an open transaction has announced another gateway. It does not wait for the first open transaction. */
const tryBind = (schema: string): string => `
  CREATE FUNCTION ${schema}.try_bind(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $try_bind$
  BEGIN
    IF NOT ${schema}.is_alone(of_account, of_environment, to_gateway) THEN RETURN false; END IF;
    IF pg_try_advisory_xact_lock(hashtextextended('location-sdk ${schema}.' || of_account || ':' || of_environment, 0)) THEN
      INSERT INTO ${schema}.destinations (account, environment, gateway) VALUES (of_account, of_environment, to_gateway) ON CONFLICT DO NOTHING;
    END IF;
    RETURN true;
  END $try_bind$;
`;

const HINT = "HINT = 'Name another licence with the option account, or change the gateway with location-sdk outbox … rebind.'";

/**
 * Binds a destination unless it is bound. A different gateway fails the statement. Each inner statement sees the latest commits, so
 * that several instances that start at once all see the same gateway.
 */
const bind = (schema: string): string => `
  CREATE FUNCTION ${schema}.bind(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $bind$
  DECLARE
    bound text;
  BEGIN
    SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    IF NOT FOUND THEN
      IF NOT ${schema}.try_bind(of_account, of_environment, to_gateway) THEN
        RAISE EXCEPTION 'enqueue: an open transaction sends reports of account % (%) to another gateway than %. Nothing was enqueued.', of_account, of_environment, to_gateway
          USING ERRCODE = '${OTHER_GATEWAY}', ${HINT};
      END IF;
      SELECT d.gateway INTO bound FROM ${schema}.destinations AS d WHERE d.account = of_account AND d.environment = of_environment;
    END IF;
    IF bound <> to_gateway THEN
      RAISE EXCEPTION 'enqueue: reports of account % (%) go to %, and this one is for %. Nothing was enqueued.', of_account, of_environment, bound, to_gateway
        USING ERRCODE = '${OTHER_GATEWAY}', ${HINT};
    END IF;
    RETURN true;
  END $bind$;
`;

/** The same in the store's own transactions. A lock runs them one after the other, so that they do not refuse each other. */
const bindAlone = (schema: string): string => `
  CREATE FUNCTION ${schema}.bind_alone(of_account text, of_environment text, to_gateway text) RETURNS boolean LANGUAGE plpgsql AS $bind_alone$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('location-sdk ${schema}.destinations', 0));
    RETURN ${schema}.try_bind(of_account, of_environment, to_gateway);
  END $bind_alone$;
`;

export const bindFunctions = (schema: string): string => [isAlone, tryBind, bind, bindAlone].map((one) => one(schema)).join('');
