package import LineProtocol

/// The activity that an app causes with its requests. The sessions of the app see the activity. If several cases apply
/// to an app, the case that is declared last counts.
package enum Activity: Int, Hashable, Sendable {
  /// A grant of the app waits for its fix.
  case acquiring
  /// Updates of the app run, and the app is a display on a wall, or the user has not recently acted for the app.
  case background
  /// Updates of the app run, and the user has recently acted for the app.
  case inUse
  /// The app waits for the first fix of its updates, or for the user's decision about the authorization "always". See
  /// row B5 of the authorization reference (event that needs "always").
  case waiting
  /// The user has not answered a prompt about the app that a press of the button or the app's own request for
  /// authorization opened. Apps do not see prompts with other causes. See row B5 of the authorization reference (event
  /// that needs "always").
  case prompt
}

/// The activities of all apps, and the numbers of apps with running updates.
struct Activities: Sendable {
  /// The activity of one app and the properties of its updates.
  struct Use: Hashable, Sendable {
    var activity: Activity?
    var isInSight = false
    /// The accuracies of the running updates of the app.
    var accuracies: Set<FixAccuracy> = []
  }

  private(set) var uses: [AppID: Use] = [:]
  /// The number of apps for which updates run and the user has recently acted.
  private(set) var inSight = 0
  /// The number of apps with running updates, for each accuracy of the updates.
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
  /// Returns the activity of an app; nil if no request of the app causes one.
  package func activity(of app: AppID) -> Activity? { activities.uses[app]?.activity }

  /// Returns the apps whose activity changed since the previous call of this function.
  package mutating func takeChangedApps() -> Set<AppID> { activities.takeChangedApps() }

  /// Whether updates run for at least one app for which the user has recently acted.
  package var areUpdatesInSight: Bool { activities.inSight > 0 }

  /// Whether updates with this accuracy run for at least one app.
  package func areUpdatesRunning(with accuracy: FixAccuracy) -> Bool { activities.accuracies[accuracy, default: 0] > 0 }

  /// Computes the activity of each app that the present event may have changed.
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
