package import LineProtocol

/// The present use of the location by an app, or the wait of the app for a fix or an answer. The sessions of the app
/// receive this value. If several cases apply, the value is the case that is declared last.
package enum Activity: Int, Hashable, Sendable {
  /// The app has a grant (the permission for one fix), and the receiver has not delivered the fix yet.
  case acquiring
  /// The app receives continuous updates, and either is a display on a wall or had no recent action of the user.
  case background
  /// The app receives continuous updates, and the user recently acted for the app, for example with a press of the
  /// button.
  case inUse
  /// The app waits for the first fix of its updates, or for the user's decision about the authorization "always". The
  /// same value for both keeps an open decision secret from the app (authorization reference, row B5).
  case waiting
  /// A prompt (a question to the user) about the app has no answer yet. Only prompts that a press of the button or the
  /// app's own request opened count; others are secret (authorization reference, row B5).
  case prompt
}

/// The activity of each app, and counts of the apps that receive continuous updates.
struct Activities: Sendable {
  /// The activity of one app, and properties of its continuous updates.
  struct Use: Hashable, Sendable {
    var activity: Activity?
    var isInSight = false
    /// The accuracies that occur among the continuous updates of the app. The sessions of one app can have different
    /// accuracies.
    var accuracies: Set<FixAccuracy> = []
  }

  private(set) var uses: [AppID: Use] = [:]
  /// The count of apps that receive continuous updates and for which the user recently acted.
  private(set) var inSight = 0
  /// How many apps receive continuous updates with each accuracy.
  private(set) var accuracies: [FixAccuracy: Int] = [:]
  /// The apps whose activity changed since the previous call of `takeChangedApps`.
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
  /// Returns the present activity of an app; nil if the app has no request and no updates.
  package func activity(of app: AppID) -> Activity? { activities.uses[app]?.activity }

  /// Returns the apps whose activity changed since the previous call of this function, and clears the set.
  package mutating func takeChangedApps() -> Set<AppID> { activities.takeChangedApps() }

  /// Whether at least one app receives continuous updates soon after an action of the user for the app.
  package var areUpdatesInSight: Bool { activities.inSight > 0 }

  /// Whether at least one app receives continuous updates with this accuracy.
  package func areUpdatesRunning(with accuracy: FixAccuracy) -> Bool { activities.accuracies[accuracy, default: 0] > 0 }

  /// Computes the activity of each app that the event now being handled may have changed.
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
