package import LineProtocol

extension Authorization {
  /// The settings of the gateway's owner that have an effect on authorizations.
  package struct Configuration: Hashable, Sendable {
    /// Whether a press of the button gives a fix to every waiting app that needs no prompt. If the value is false, a
    /// press gives a fix to one app only.
    package var pressServesAll = false
    /// The default time for which a request waits for a press of the button.
    package var armTimeout: Duration = .seconds(300)
    /// The apps that a button serves, by the button's name. A button without an entry serves every app.
    package var boundApps: [String: Set<AppID>] = [:]
    /// The maximum time between the two releases of a button in a double press, by the name of the button. The default
    /// is `Bounds.doublePress`.
    package var doublePress: [String: Duration] = [:]
    /// The apps whose authorization status is `restricted`. The stored records of these apps have no effect.
    package var restrictedApps: Set<AppID> = []
    /// The accuracy that new apps get, by app. A value can also lower, but never raise, the accuracy of an app that
    /// already has a record.
    package var newAppAccuracy: [AppID: FixAccuracy] = [:]
    package var defaultAccuracy: FixAccuracy = .full
    /// The apps that are displays on a wall. Such an app counts as in use while it is connected.
    package var displays: Set<AppID> = []

    package init() {}
  }

  /// The limits of the authorization rules. These limits protect the user from apps that try to get an unintended fix.
  package enum Bounds {
    /// The minimum time from the moment at which a request or a prompt gets the mark of a button to the down edge of a
    /// press for this request or prompt. See row A9 of the authorization reference (mark of a button).
    package static let markBeforePress: Duration = .seconds(1)
    /// The longest time from the down edge of a press of the button to the handling of the press: the sum of the
    /// longest hold time and the life of a grant.
    package static let latestPress: Duration = .seconds(10) + grantLife
    /// The time for which a grant is valid after the release of the button. The same time is the maximum wait for the
    /// first fix under a standing authorization.
    package static let grantLife: Duration = .seconds(60)
    /// The time for which the grant of a client that polls is valid. See row A8 of the authorization reference
    /// (repeated press).
    package static let pollingGrantLife = rest
    /// The maximum time for which the gateway keeps the fix of a client that polls.
    package static let keptFix: Duration = .seconds(10)
    /// The maximum age of a one-time fix, from its epoch to the down edge of the press of the button.
    package static let oldestEpoch: Duration = .seconds(2)
    /// The maximum age of a fix under a standing authorization, from its epoch to the present.
    package static let oldestStandingEpoch: Duration = .seconds(60)
    /// The pause in which a press of the button gives no app a fix. The pause begins when the fix for an earlier press
    /// is delivered, or when its delivery fails. See row A8 of the authorization reference (repeated press).
    package static let rest: Duration = .seconds(2)
    package static let longestArm: Duration = .seconds(3600)
    package static let longestImplicitArm: Duration = .seconds(86_400)

    /// The time for which a press of the button can answer a prompt.
    package static let promptLife: Duration = .seconds(10)
    /// The time for which a prompt stays open that an app or a region event opened. Other apps have no effect on this
    /// time.
    package static let askLife: Duration = .seconds(60)
    /// The minimum time from the last press or release of a button until the button starts answering a prompt of an app
    /// or of a region event. The user may have touched the button for another purpose.
    package static let quiet: Duration = .seconds(2)
    /// The default maximum time between the two releases of a button in a double press.
    package static let doublePress: Duration = .milliseconds(400)
    /// The length of the pause after the first unanswered prompt about an app, in which requests of this app open no
    /// prompt. The pause is `firstButtonPause` if a press of the button opened the prompt, otherwise `firstOtherPause`.
    /// The pause doubles with each further unanswered prompt, up to `longestPause`.
    package static let firstButtonPause: Duration = .seconds(600)
    package static let firstOtherPause: Duration = .seconds(3600)
    package static let longestPause: Duration = .seconds(86_400)
    /// The minimum time for which an app still sees the status `always` after the user refused it. See row B5 of the
    /// authorization reference (event that needs "always").
    package static let alwaysSeen: Duration = .seconds(86_400)
    /// The longest time for which an owner can give an authorization that ends. See row D6 of the authorization
    /// reference (right that ends).
    package static let longestTimeLimit: Duration = .seconds(30 * 86_400)

    /// The time for which an app is in use after the user's latest act for the app.
    package static let useMax: Duration = .seconds(15 * 60)
    /// The maximum duration of updates that were started with `background`. See row C3 of the authorization reference
    /// (background updates).
    package static let backgroundMax: Duration = .seconds(8 * 3600)
    /// The grace period: the total time for which a session may be disconnected, or in use in the background. Each act
    /// of the user for the app resets this total to zero.
    package static let grace: Duration = .seconds(5)
    /// The time between two checks of the indicator's visibility while an app gets fixes without a press. See row C6 of
    /// the authorization reference (indicator not visible).
    package static let legibilityPeriod: Duration = .seconds(1)
  }
}
