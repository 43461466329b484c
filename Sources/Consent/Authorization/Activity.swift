package import LineProtocol

/// The activity that an app causes with its requests. The sessions of the app see it. If several cases apply, the last
/// of them counts.
package enum Activity: Int, Hashable, Sendable {
  /// A grant waits for its fix.
  case acquiring
  /// Updates run, and the user has not recently acted for the app.
  case background
  /// Updates run, and the user recently acted for the app.
  case inUse
  /// The app waits for the first fix of its updates, or for the user's decision about the authorization "always". (B5)
  case waiting
  /// The user has not answered a prompt that a press opened, or the app's own request for authorization. No app sees
  /// other prompts. (B5)
  case prompt
}

/// The activities of all apps, and totals of their updates.
struct Activities: Sendable {
  /// The activity of one app and the properties of its updates.
  struct Use: Hashable, Sendable {
    var activity: Activity?
    var isInSight = false
    /// The accuracies of the updates.
    var accuracies: Set<FixAccuracy> = []
  }

  private(set) var uses: [AppID: Use] = [:]
  /// The number of apps whose updates run while the user recently acted for the app.
  private(set) var inSight = 0
  /// The number of apps with updates of each accuracy.
  private(set) var accuracies: [FixAccuracy: Int] = [:]
  /// The apps whose activity changed since the last call of `takeChangedApps`.
  private var changed: Set<AppID> = []

  mutating func set(_ use: Use, of app: AppID) {
    let former = uses[app] ?? Use()
    guard use != former else { return }
    uses[app] = use == Use() ? nil : use
    if use.activity != former.activity { changed.insert(app) }
    inSight += (use.isInSight ? 1 : 0) - (former.isInSight ? 1 : 0)
    for accuracy in former.accuracies { accuracies[accuracy, default: 0] -= 1 }
    for accuracy in use.accuracies { accuracies[accuracy, default: 0] += 1 }
  }

  mutating func takeChangedApps() -> Set<AppID> {
    defer { changed = [] }
    return changed
  }
}

extension Authorization {
  /// Returns the activity of an app; nil if no request of the app causes one.
  package func activity(of app: AppID) -> Activity? { activities.uses[app]?.activity }

  /// Returns the apps whose activity changed since the last call.
  package mutating func takeChangedApps() -> Set<AppID> { activities.takeChangedApps() }

  /// Whether updates run for an app for which the user recently acted.
  package var areUpdatesInSight: Bool { activities.inSight > 0 }

  /// Whether an app has updates with this accuracy.
  package func areUpdatesRunning(with accuracy: FixAccuracy) -> Bool { activities.accuracies[accuracy, default: 0] > 0 }

  /// Computes the activities of the apps that the event concerned.
  mutating func updateActivities() {
    let requests = grants.takeTouchedApps().union(updates.takeTouchedApps()).union(asks.takeTouchedApps())
    _ = arms.takeTouchedApps()
    let apps = touched.union(requests).union(sessions.takeTouchedApps())
    touched = []
    for app in apps { activities.set(use(of: app), of: app) }
  }

  private func use(of app: AppID) -> Activities.Use {
    var use = Activities.Use()
    func add(_ activity: Activity) { if activity.rawValue >= use.activity?.rawValue ?? 0 { use.activity = activity } }
    if grants.hasValues(of: app) { add(.acquiring) }
    for running in updates.values(of: app) {
      let isInSight = isInSight(running.session)
      add(running.firstFixDue != nil ? .waiting : isInSight ? .inUse : .background)
      if isInSight { use.isInSight = true }
      use.accuracies.insert(accuracy(of: app, in: running.session))
    }
    if deferredStarts.contains(where: { $0.app == app }) { add(.waiting) }
    let isAsked = openPrompts.contains { $0.prompt.app == app && $0.prompt.press != nil }
    if isAsked || asks.hasValues(of: app) { add(.prompt) }
    return use
  }
}
