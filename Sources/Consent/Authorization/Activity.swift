package import LineProtocol

/// The present use of the location by an app, or the reason why the app waits. If several cases apply, the case that is
/// declared last counts.
package enum Activity: Int, Hashable, Sendable {
  /// The receiver has not yet delivered the fix for a grant (the permission for one fix).
  case acquiring
  /// The app receives continuous updates. The user has not recently acted for the app, or the app runs on a wall
  /// display.
  case background
  /// The app receives continuous updates, and the user recently acted for the app, for example with a press of the
  /// button.
  case inUse
  /// The app waits for the first fix of its updates, or for the user's decision about the authorization "always". The
  /// same value for both keeps an open decision secret from the app (authorization reference, row B5).
  case waiting
  /// The user has not yet answered a prompt (a question about the app). Only prompts after a press of the button or
  /// after a request of the app count. Other prompts are secret (authorization reference, row B5).
  case prompt
}

/// How each app uses the location at present, and counts of apps with continuous updates.
struct Activities: Sendable {
  /// How one app uses the location at present.
  struct Use: Hashable, Sendable {
    var activity: Activity?
    var isInSight = false
    /// The accuracies of the app's continuous updates. The sessions of one app can have different accuracies.
    var accuracies: Set<FixAccuracy> = []
  }

  private(set) var uses: [AppID: Use] = [:]
  /// The count of apps that receive continuous updates soon after an action of the user for the app.
  private(set) var inSight = 0
  /// The count of apps that receive continuous updates, by accuracy.
  private(set) var accuracies: [FixAccuracy: Int] = [:]
  private var changed: Set<AppID> = []

  mutating func set(_ use: Use, of app: AppID) {
    let former = uses[app] ?? Use()
    uses[app] = use == Use() ? nil : use
    if use.activity != former.activity { changed.insert(app) }
    inSight += (use.isInSight ? 1 : 0) - (former.isInSight ? 1 : 0)
    for accuracy in former.accuracies { accuracies[accuracy]? -= 1 }
    for accuracy in use.accuracies { accuracies[accuracy, default: 0] += 1 }
  }

  mutating func takeChangedApps() -> Set<AppID> {
    defer { changed = [] }
    return changed
  }
}

extension Authorization {
  /// Returns the present activity of an app; nil if the app has no request and no updates.
  package func activity(of app: AppID) -> Activity? { activities.uses[app]?.activity }

  /// Returns the apps whose activity changed since the previous call of this function.
  package mutating func takeChangedApps() -> Set<AppID> { activities.takeChangedApps() }

  /// Whether the user recently acted for an app that receives continuous updates now.
  package var areUpdatesInSight: Bool { activities.inSight > 0 }

  package func areUpdatesRunning(with accuracy: FixAccuracy) -> Bool { activities.accuracies[accuracy, default: 0] > 0 }

  /// Computes the activity of each app again if the current event may have changed the activity.
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
