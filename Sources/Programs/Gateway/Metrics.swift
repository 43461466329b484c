import Authorization
import Hardware
import LineProtocol
import Ports
package import Telemetry
import StateStore

/// What is told of the gateway in numbers. No position, and no time of one: what tells something of where it is, how long
/// the receiver looked for satellites and how many it sees, is for whoever may read this.
extension Gateway {
  package func metrics() -> Exposition {
    Exposition(
      aboutItself + aboutRequests + aboutDisclosures + aboutReceiver + aboutLight + aboutStore + aboutBrokers
        + setup.metrics())
  }

  private var aboutItself: [MetricFamily] {
    [
      .gauge("onefix_build_info", "Which version this is.").with(1, [("version", setup.version)]),
      .gauge("onefix_locked", "Whether the kill switch is on.").with(authorization.isLocked ? 1 : 0),
      .gauge("onefix_sessions", "Sessions of apps.").with(sessions.count),
      .gauge("onefix_owner_connections", "Connections of owners.").with(owners.count),
      .counter("onefix_dropped_notifications", "Notifications that gave way to newer ones before an owner came.")
        .with(counts.droppedNotifications),
    ]
  }

  private var aboutRequests: [MetricFamily] {
    let faults = buttons.mapValues { $0.fault != nil || $0.debouncer?.isStuck == true ? 0 : 1 }
    return [
      .gauge("onefix_button_good", "Whether a button can be read and is not stuck.").with(faults, by: "button"),
      .counter("onefix_presses", "Presses of a button, by what they did.")
        .with(
          Dictionary(uniqueKeysWithValues: PressOutcome.allCases.map { ($0.rawValue, 0) })
            .merging(counts.presses) { $1 }, by: "outcome"),
      .counter("onefix_holds", "Holds of a button.").with(counts.holds),
      .counter("onefix_press_refusals", "Presses that served nobody, by why.").with(counts.pressRefusals, by: "reason"),
      .counter("onefix_prompts", "Questions that people were asked, by kind.").with(counts.prompts, by: "kind"),
      .counter("onefix_grants", "One-time fixes that were granted, by right.").with(counts.grants, by: "right"),
      pairs(counts.refusals, "reason", .counter("onefix_refusals", "Requests that came to no fix, by why.")),
    ]
  }

  private var aboutDisclosures: [MetricFamily] {
    [
      pairs(counts.disclosures, "accuracy", .counter("onefix_disclosures", "One-time fixes that were given.")),
      .counter("onefix_update_fixes", "Fixes of updates that were given.")
        .with(counts.fullUpdates, [("accuracy", Accuracy.full.rawValue)])
        .with(counts.reducedUpdates, [("accuracy", Accuracy.reduced.rawValue)]),
      .gauge("onefix_updates_running", "Sessions that have updates.").with(authorization.updates.count),
      .counter("onefix_region_events", "Events of regions that apps were told.").with(counts.regionEvents),
      .counter("onefix_withheld", "Granted fixes that were not given, by why.").with(counts.withheld, by: "reason"),
      .histogram(
        "onefix_press_to_fix_seconds", unit: "seconds", "From a press to its fix on the way to the app.",
        counts.pressToFix),
    ]
  }

  private func pairs(_ values: [Counts.Pair: Int], _ label: String, _ family: MetricFamily) -> MetricFamily {
    values.sorted { ($0.key.app, $0.key.what) < ($1.key.app, $1.key.what) }.reduce(family) {
      $0.with($1.value, [("app", $1.key.app), (label, $1.key.what)])
    }
  }

  private var aboutReceiver: [MetricFamily] {
    let condition = reception.condition
    let totals = reception.totals
    let states = Dictionary(
      uniqueKeysWithValues: ReceiverCondition.State.allCases.map { ($0.rawValue, $0 == condition.state ? 1 : 0) })
    return [
      .gauge("onefix_receiver_state", "What the receiver is doing: 1 for that.").with(states, by: "state"),
      .gauge("onefix_receiver_satellites_used", "Satellites that the fix is made of.").with(condition.satellitesUsed),
      .gauge("onefix_receiver_hdop", "Horizontal dilution of precision.").with(condition.hdop),
      .gauge(
        "onefix_receiver_horizontal_accuracy_meters", unit: "meters",
        "Radius of the circle that holds the fix with a probability of 68 percent."
      ).with(reception.sky.horizontalAccuracy),
      .gauge("onefix_receiver_signal_strength_dbhz", unit: "dbhz", "Mean signal strength of the satellites used.")
        .with(reception.sky.meanSignalStrength),
      .histogram(
        "onefix_receiver_time_to_first_fix_seconds", unit: "seconds",
        "From the receiver being listened to, to its first fix.", counts.timeToFirstFix),
      .counter("onefix_receiver_losses", "How often the receiver went away.").with(counts.receiverLosses),
      .counter("onefix_receiver_epochs", "Epochs that the receiver reported.").with(totals.epochs),
      .counter("onefix_receiver_fixes", "Epochs that had a fix.").with(totals.fixes),
      .counter("onefix_receiver_frames", "Sentences and messages that the receiver sent.").with(totals.frames),
      .counter("onefix_receiver_errors", "What the receiver sent and was damaged, and what failed on its bus, by how.")
        .with(totals.errors.merging(commandPort?.allFaults ?? [:]) { $1 }, by: "cause"),
    ]
  }

  private var aboutLight: [MetricFamily] {
    let present = indicator.restriction
    let restrictions = Dictionary(
      uniqueKeysWithValues: LegibilityRestriction.allCases.map { ($0.rawValue, $0 == present ? 1 : 0) })
    return [
      .gauge("onefix_indicator_restriction", "What keeps the light from being seen: 1 for that.")
        .with(restrictions, by: "restriction")
    ]
  }

  private var aboutStore: [MetricFamily] {
    let isGood: Int? =
      switch logKeeping.condition {
      case .unchecked: nil
      case .good: 1
      case .broken, .unreadable, .untended: 0
      }
    return [
      .histogram(
        "onefix_store_write_seconds", unit: "seconds", "How long it took until the disk had what was written, by what.",
        counts.writes, by: "write"),
      .counter("onefix_store_write_failures", "What could not be written, by what.")
        .with(counts.failedWrites, by: "write"),
      .gauge("onefix_log_good", "Whether the log is as it was written.").with(isGood),
      .gauge("onefix_unsaved_changes", "Changes of rights that could not be written yet.")
        .with(unsaved.apps.count + (unsaved.lock ? 1 : 0)),
    ]
  }

  private var aboutBrokers: [MetricFamily] {
    var connected = MetricFamily.gauge("onefix_broker_connected", "Whether a broker is there.")
    var waiting = MetricFamily.gauge("onefix_broker_waiting_fixes", "Fixes that wait for a broker.")
    var ignored = MetricFamily.counter(
      "onefix_broker_ignored_requests", "What a broker brought and counted for nothing.")
    for bridge in outbox.bridges.sorted(by: { $0.form.name < $1.form.name }) {
      // One whose app is not configured any more is about to go.
      guard let session = sessions.on(bridge.connection) else { continue }
      let labels = [("app", metricName(of: session.app)), ("broker", bridge.form.place)]
      connected = connected.with(bridge.isConnected ? 1 : 0, labels)
      waiting = waiting.with(outbox.count(of: bridge.form.name), labels)
      for (reason, count) in bridge.ignored.sorted(by: { $0.key < $1.key }) {
        ignored = ignored.with(count, labels + [("reason", reason)])
      }
    }
    let expired = MetricFamily.counter("onefix_broker_expired_fixes", "Fixes for which no broker came in time.")
    return [connected, waiting, ignored, expired.with(counts.expiredWaiting, by: "app")]
  }
}
