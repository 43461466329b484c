import Authorization
import Clocks
import LineProtocol
import Telemetry

/// The counters of the gateway since its start.
struct Metrics {
  enum Event {
    case press(PressOutcome)
    case hold
    case pressRefused(String)
    case prompt(Prompt.Kind)
    case granted(Right)
    case refused(String, AppID)
    case disclosed(AppID, FixAccuracy)
    case updateSent(FixAccuracy)
    case regionReported
    /// A fix was granted, but not disclosed.
    case withheld(String)
    case pressToFix(Duration)
    case receiverOpened
    case receiverLost
    case firstFix
    case expiredPublication(AppID)
    case droppedNotification
  }

  private struct Pair: Hashable {
    let app: String
    let label: String
  }

  /// The apps with their own labels. All other apps share one label, so that the number of labels is limited.
  var labelledApps: Set<AppID>
  private var presses: [String: Int] = [:]
  private var holds = 0
  private var pressRefusals: [String: Int] = [:]
  private var prompts: [String: Int] = [:]
  private var grants: [String: Int] = [:]
  private var refusals: [Pair: Int] = [:]
  private var disclosures: [Pair: Int] = [:]
  private var updates: [FixAccuracy: Int] = [:]
  private var regionEvents = 0
  private var withheld: [String: Int] = [:]
  private var pressToFix = Histogram(bounds: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60])
  private var timeToFirstFix = Histogram(bounds: [1, 2, 5, 10, 20, 30, 45, 60, 120, 300, 900])
  /// The time at which the receiver's port was opened; nil after the first fix.
  private var receiverOpened: MonotonicInstant?
  private var receiverLosses = 0
  private var expiredPublications: [String: Int] = [:]
  private var droppedNotifications = 0

  init(labelledApps: Set<AppID>) { self.labelledApps = labelledApps }

  mutating func count(_ event: Event, at now: MonotonicInstant) {
    switch event {
    case .press(let outcome): presses[outcome.rawValue, default: 0] += 1
    case .hold: holds += 1
    case .pressRefused(let reason): pressRefusals[reason, default: 0] += 1
    case .prompt(let kind): prompts[kind.rawValue, default: 0] += 1
    case .granted(let right): grants[right.rawValue, default: 0] += 1
    case .refused(let reason, let app): refusals[Pair(app: label(of: app), label: reason), default: 0] += 1
    case .disclosed(let app, let accuracy):
      disclosures[Pair(app: label(of: app), label: accuracy.rawValue), default: 0] += 1
    case .updateSent(let accuracy): updates[accuracy, default: 0] += 1
    case .regionReported: regionEvents += 1
    case .withheld(let reason): withheld[reason, default: 0] += 1
    case .pressToFix(let duration): pressToFix.observe(duration)
    case .receiverOpened: receiverOpened = now
    case .receiverLost:
      receiverOpened = nil
      receiverLosses += 1
    case .firstFix:
      guard let opened = receiverOpened else { break }
      receiverOpened = nil
      timeToFirstFix.observe(now - opened)
    case .expiredPublication(let app): expiredPublications[label(of: app), default: 0] += 1
    case .droppedNotification: droppedNotifications += 1
    }
  }

  /// The label of an app. An app that is not configured has the label `(other)`.
  func label(of app: AppID) -> String { labelledApps.contains(app) ? app.name : "(other)" }

  // MARK: Families

  var families: [MetricFamily] {
    [
      .counter("onefix_dropped_notifications", "Notifications that newer ones replaced before an owner connected.")
        .with(droppedNotifications),
      .counter("onefix_presses", "Presses of a button, by outcome.")
        .with(
          Dictionary(uniqueKeysWithValues: PressOutcome.allCases.map { ($0.rawValue, 0) }).merging(presses) { $1 },
          by: "outcome"),
      .counter("onefix_holds", "Holds of a button.").with(holds),
      .counter("onefix_press_refusals", "Presses that served no app, by reason.").with(pressRefusals, by: "reason"),
      .counter("onefix_prompts", "Prompts that were shown, by kind.").with(prompts, by: "kind"),
      .counter("onefix_grants", "One-time fixes that were granted, by right.").with(grants, by: "right"),
      pairs(refusals, "reason", .counter("onefix_refusals", "Requests that ended without a fix, by reason.")),
      pairs(disclosures, "accuracy", .counter("onefix_disclosures", "One-time fixes that were disclosed.")),
      .counter("onefix_update_fixes", "Fixes of updates that were disclosed.")
        .with(
          Dictionary(uniqueKeysWithValues: FixAccuracy.allCases.map { ($0.rawValue, updates[$0] ?? 0) }),
          by: "accuracy"),
      .counter("onefix_region_events", "Events of regions that were reported to apps.").with(regionEvents),
      .counter("onefix_withheld", "Granted fixes that were not disclosed, by reason.").with(withheld, by: "reason"),
      .histogram(
        "onefix_press_to_fix_seconds", unit: "seconds", "From a press to the moment at which its fix is sent.",
        pressToFix),
      .histogram(
        "onefix_receiver_time_to_first_fix_seconds", unit: "seconds",
        "From the opening of the receiver's port to the first fix.", timeToFirstFix),
      .counter("onefix_receiver_losses", "How often the receiver's port was lost.").with(receiverLosses),
      .counter("onefix_broker_expired_fixes", "Fixes that expired before a broker received them.")
        .with(expiredPublications, by: "app"),
    ]
  }

  private func pairs(_ values: [Pair: Int], _ label: String, _ family: MetricFamily) -> MetricFamily {
    family.with(
      values.sorted { ($0.key.app, $0.key.label) < ($1.key.app, $1.key.label) }.map {
        ($0.value, [("app", $0.key.app), (label, $0.key.label)])
      })
  }
}
