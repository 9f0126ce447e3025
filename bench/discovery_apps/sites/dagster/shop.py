"""Assets, jobs, a schedule, a sensor and a resource."""

import dagster as dg


@dg.asset(group_name="sales", description="All orders")
def orders():
    return [1, 2, 3]


@dg.asset(group_name="sales", deps=[orders])
def daily_totals():
    return 6


@dg.asset(group_name="stock", partitions_def=dg.StaticPartitionsDefinition(["north", "south"]))
def stock_levels():
    return 1


@dg.asset_check(asset=orders)
def orders_are_there():
    return dg.AssetCheckResult(passed=True)


@dg.op
def collect():
    return 1


@dg.op
def send(value):
    return value


@dg.job
def nightly():
    send(collect())


sales = dg.define_asset_job("sales_job", selection=[orders, daily_totals])


@dg.sensor(job=nightly, minimum_interval_seconds=3600)
def new_files():
    yield dg.SkipReason("no new files")


class Storehouse(dg.ConfigurableResource):
    place: str = "north"


defs = dg.Definitions(
    assets=[orders, daily_totals, stock_levels],
    asset_checks=[orders_are_there],
    jobs=[nightly, sales],
    schedules=[dg.ScheduleDefinition(job=sales, cron_schedule="0 3 * * *", name="every_night")],
    sensors=[new_files],
    resources={"storehouse": Storehouse()},
)
