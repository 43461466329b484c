// The phrases in the table `texts.tsv`, which has their texts. Comments at the cases explain the texts to translators.

/// Texts for the accuracy that a grant gives to an app. The raw values are the words for the accuracy in the line
/// protocol.
package enum AccuracyPhrase: String, Phrase {
  case full, reduced, place

  package var room: Int? { 12 }
}

/// Texts that explain the effect of a press and of a hold of the button while a prompt is open.
package enum AnswerPhrase: Phrase {
  case pressAgain, press, once, onceOrTwice, unchanged, refused
  /// The next press of the button answers the question of the prompt.
  case answers
  /// The next press of the button does not answer the question of the prompt. This press gives a position to the app
  /// that waits for a press.
  case serves
  /// The button cannot answer the question of the prompt.
  case elsewhere
  /// The reason why the next press of the button does not answer the question: the question belongs to another button,
  /// the button answers another question first, a fix for an earlier press is on its way, or the ten seconds in which
  /// the button answers the question are over.
  case anotherButton, anotherQuestion, afterFix, timeOver
  case hold
  /// A hold (a long press) answers the question of the prompt with "no" and stops all sharing.
  case holdAndStop
  /// A hold (a long press) stops all sharing, but does not answer the question of the prompt.
  case stop

  /// The maximum width of the text in columns of a terminal. A label is printed to the left of the text.
  package var room: Int? { 68 }
}

/// Texts about apps.
package enum AppPhrase: Phrase {
  case app, name, status, accuracy, now, sessions, pause, inUse, waits, next, fixes, backgroundFixes, idle, provisional
  /// The title of a card about an app for which the next press is.
  case waitsForPress
  case noApps, isNow, used, unused, forgotten, keyMade, tokenMade
  /// The label of the end of an authorization that an owner gave for a time.
  case until
  /// An authorization (`{value}`) and its end, as in "Always until 14:30".
  case endsAt
  /// The authorization that comes back at the end.
  case afterwards
}

/// Texts for the choices of a prompt. The raw values are the words for the choices in the line protocol.
package enum ChoicePhrase: String, Phrase {
  case yes, once, whileUsing = "while-using", always, keep, no

  package var room: Int? { 20 }
}

/// Texts of the console.
package enum ConsolePhrase: Phrase {
  case wrongPIN, wait, greeting, ended, idle, gatewayLost, gatewayFound, noAnswer, help, quit

  package var room: Int? {
    switch self {
    // The description is printed beside the name of the command.
    case .help, .quit: 48
    case .wrongPIN, .wait, .greeting, .ended, .idle, .gatewayLost, .gatewayFound, .noAnswer: nil
    }
  }
}

/// The reasons why the gateway refused a command of an owner.
package enum FailurePhrase: Phrase {
  case noSuchApp
  /// An owner wanted an end for an authorization that the app already has without an end.
  case noEnd
  case noKey, noPage, noSuchChoice, nothingAsked, tooLate
  /// The placeholder `{text}` stands for the number and the text of the question of a prompt.
  case promptTooRecent
  case locked, tooFast, store, ending, other
}

/// Texts about the gateway.
package enum GatewayPhrase: Phrase {
  case gateway, onBoard, light, off, acquiring, inUse, background, prompt, locked, nothingWaiting, notSaved, unsaved,
    question, waiting, eachPress, next, nextOfButton
  /// The label of a `PressPhrase`.
  case lastPress
  /// The time in which a user can still answer a question.
  case left
  case connections, broker, brokerThere, brokerAway, brokerAwayUntimed, brokerUnverified
  case output, outputReady, outputAway
  case listener, listenerClosed, listenerClosedSince, appOff, appWithoutUser
  case log, logUnchecked, logGood, logFailing, logUnreadable, logBroken
  case fault, warnings
}

/// Texts of the disclosure log.
package enum LogPhrase: Phrase {
  case time, entry, what, once, byRight, fromNowOn, simulated, late, acknowledged, sent
  /// The app received a notification about a region border, but no fix.
  case border
  case borderTold, expired, erased, postponed, lost, ended, endedAfterOne, stopped, outOfUse, revoked, locked, indicator
  case shutdown, endLost, noEntries
  /// A user answered a prompt.
  case answer, answerWithPurpose, atButton, atConsole, onPage, byUser
  /// An authorization for a time (`{value}`) has ended. `{text}` stands for the authorization that came back.
  case rightEnded
}

/// Notifications to owners: about the questions of prompts, about regions, and about the kill switch that stops all
/// sharing.
package enum NotificationPhrase: Phrase {
  /// The phrase quotes a text that comes from an app.
  case says
  case answerWith, answerWithAccuracy, nothingAsked, yesAtButton, noAtButton, yesByOwner, noByOwner, unanswered
  case withdrawn, locked, answered, entered, left
  /// An authorization for a time has ended. `{value}` stands for the authorization that came back.
  case rightEnded
  case reloaded, restartFor
}

/// Texts on the owners' page and about that page. The HTML document names each text by its raw value.
package enum PagePhrase: Phrase {
  /// The text after the link to the owners' page. `{count}` stands for a number of minutes.
  case linkMade
  case skip, needsScript, needsLink, linkRefused, sessionOver, connecting, connected, lost, failed, leave, questions
  case state, lockNow, lockMeans, apps, apply
  /// The label of the time after which an authorization ends, and the choice of no end.
  case duration, withoutEnd
  case entries, report, showReport, news, noPosition
  /// The name of the links to the sections of the page.
  case sections
  /// The buttons for the next newer and the next older page of the log.
  case newer, older
  /// The heading of the local times in the log.
  case localTime
}

/// Texts of the panel of the simulated board in a terminal.
package enum PanelPhrase: Phrase {
  case button
  /// The state of the button, after the label `button`.
  case up, down
  /// The keys of the panel. The letters are the same in every language.
  case keys
  /// The key with which an app may ask at once, although its previous question had no answer.
  case askAgain
  /// `{value}` stands for a number of columns and a number of rows.
  case tooSmall
}

/// Texts about the places that an owner has named. The texts contain no positions.
package enum PlacePhrase: Phrase {
  case place, knownTo, noPlaces
}

/// The effect of the latest press or hold of the button, after a label such as "Last press". The raw values are the
/// words for the effect in the line protocol.
package enum PressPhrase: String, Phrase {
  /// The press is for an app, and the receiver has no fix for it yet.
  case acquiring
  case served
  case noFix = "no-fix"
  /// The press opened a question.
  case asked
  /// The press opened a question. The user did not answer it in time.
  case unanswered
  /// The press opened a question that was closed, for example because the app no longer waits.
  case withdrawn
  case allowed, kept, denied
  /// An app or a question waited for less than one second before the press.
  case tooEarly = "too-early"
  case nothingWaiting = "nothing-waiting"
  /// No app waited, and this app may not ask because an earlier question had no answer.
  case paused
  /// An app waits, but for a press of another button.
  case otherButton = "other-button"
  /// The fix for an earlier press is on its way or less than two seconds old.
  case repeated
  case restricted
  /// The press had no effect, because the kill switch is on.
  case whileLocked = "while-locked"
  case lightUnseen = "light-unseen"
  /// The button was held: nothing is shared now.
  case locked
  /// The button was held: the kill switch is off again.
  case unlocked
}

/// The questions that the gateway asks the user in prompts.
package enum PromptPhrase: Phrase {
  case confirm, introduce, authorize, upgrade, always, precise

  /// The width of a terminal line in columns. The longest app name takes 40 columns.
  package var room: Int? { 80 }
}

/// Texts about the receiver.
package enum ReceiverPhrase: Phrase {
  case receiver, off, absent, starting, acquiring, ready, satellites, source, latest, fresh, old, frames, errors
  case rejectedFields, unknownFields, wakeUps
  /// `{count}` stands for the number of used satellites, `{number}` for the number of satellites in view, and `{value}`
  /// for the strength of the best signal.
  case signals
  case settings, model, asking, pending, applied, partly, refused, unanswered, unansweredSettings, dateCorrected
  case lineFull
  case attack
  case contradiction
}

/// Texts about regions. The texts contain no positions.
package enum RegionPhrase: Phrase {
  case region, radius, events, state, text, enter, exit, inside, outside, unknown, noRegions
}

/// The outcomes of fixes in the privacy report. The raw values are the words of the log.
package enum OutcomePhrase: String, Phrase {
  /// The app confirmed that it received the fix.
  case acknowledged
  case sent, expired
  /// The gateway removed the fix before it was sent, because the owner or the user ended the sharing.
  case erased
  case lost
  /// The outcome is not known yet.
  case open
}

/// The reasons in the privacy report why a request got no fix. The raw values are the words of the line protocol.
package enum RefusalPhrase: String, Phrase {
  case noPress = "no-press", cancelled, rateLimited = "rate-limited", alreadyArmed = "already-armed"
  case noFix = "no-fix", receiverAbsent = "receiver-absent", indicator, store, denied, restricted, locked, expired
  case notDetermined = "not-determined", notInUse = "not-in-use", tooMany = "too-many", notSaved = "not-saved"
  case shuttingDown = "shutting-down"
}

/// Texts of the privacy report.
package enum ReportPhrase: Phrase {
  case title, requests, range, noPositions, log
  /// The state of a log that was changed by another program.
  case broken
  /// `{value}` stands for the state of the log, `{count}` for the number of its entries, and `{text}` for their
  /// numbers.
  case entries
  case noApps, timeline
  /// The number of requests of an app.
  case asked
  /// The heading of the fixes that an app received.
  case given
  /// The heading of the ways of the fixes, as the log names them: a socket, a broker, a file and so on.
  case transport
  case outcome, notGiven, lastGiven, never
  /// An app received fixes continuously.
  case followed
  /// `{count}` stands for the number of periods whose duration is unknown.
  case unknownLength
  /// An app was notified of the border of a region.
  case border
  /// The sign in the timeline for requests that got no fix, which are counted by day.
  case noFixOfDay
  case noFixOfHour
  case answered, answer, by, languageShown, purposeShown
}

/// Texts for the authorization status of an app. The raw values are the words for the status in the line protocol.
package enum StatusPhrase: String, Phrase {
  case never, askNextTime = "ask-next-time", whenIShare = "when-i-share", whileUsing = "while-using", always
  /// The owner's configuration denies this app all access.
  case restricted

  package var room: Int? { 20 }
}

/// Texts of `onefix top`.
package enum TopPhrase: Phrase {
  case apps, sky, away, help, allowAlways, allowWhileUsing, neverAllow, forget, lockNow, makeKey, makeToken, revokeKey
  /// The key `e` changes the time after which the authorization of a question ends. `{value}` stands for this time, as in
  /// `2h`.
  case endsAfter, endsNever
  case reloadNow, undone, readFirst, noApp, busy, tooSmall, button, choose, newKey, oldKey, answerPrecision, anyKey
  case part, press, hold, redraw, end, legend
}

/// Texts for errors in a command line that an owner typed.
package enum VerbErrorPhrase: Phrase {
  case empty, unknown, unknownNearest, noApp, noValue, noChoice, badApp, badNumber, badCount, badValue, badValueNearest
  case badPlace, badDecimal
  /// `1m`, `30d`, `90m`, `2h` and `7d` are words that an owner types.
  case badDuration
  case surplus, accuracyOfNo, usage
}

/// The description of a verb for owners, one line.
package struct VerbPhrase: NamedPhrase {
  package let description: String

  package init(_ verb: String) { description = verb }

  /// The maximum width of a description in columns. The description is printed beside the name of the command.
  package var room: Int? { 48 }
}

/// The text after a command of an owner that the gateway only acknowledges, by the name of the command.
package struct DonePhrase: NamedPhrase {
  package let description: String

  package init(_ command: String) { description = command }
}
