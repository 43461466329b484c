/// Texts on the owners' page and about that page. The HTML document names each text by its raw value.
package enum PagePhrase: String, Phrase {
  /// The text after the link to the owners' page. `{count}` stands for a number of minutes.
  case linkMade
  case skip, needsScript, needsLink, linkRefused, sessionOver, connecting, connected, lost, failed, leave, questions
  case state, lockNow, lockMeans, apps, apply, entries, report, showReport, news, noPosition

  package var texts: Texts {
    switch self {
    case .linkMade:
      Texts(
        en: "The link opens the page once, within {count} minutes, in a browser on this machine.",
        de: "Der Link öffnet die Seite einmal, binnen {count} Minuten, in einem Browser auf dieser Maschine.",
        ja: "このマシンのブラウザーで、{count} 分以内に1回だけページを開けます。",
        vi: "Liên kết mở trang một lần, trong vòng {count} phút, bằng trình duyệt trên máy này.",
        zhHans: "可在 {count} 分钟内用本机的浏览器打开页面一次。")
    case .skip:
      Texts(
        en: "Skip to the content", de: "Zum Inhalt springen", ja: "本文へ移動", vi: "Chuyển đến nội dung", zhHans: "跳到正文")
    case .needsScript:
      Texts(
        en: "This page needs JavaScript.", de: "Diese Seite braucht JavaScript.", ja: "このページには JavaScript が必要です。",
        vi: "Trang này cần JavaScript.", zhHans: "此页面需要 JavaScript。")
    case .needsLink:
      Texts(
        en: "To open this page, run “onefix page” on the gateway and follow its link.",
        de: "Um diese Seite zu öffnen: „onefix page“ auf dem Gateway ausführen und dem Link folgen.",
        ja: "このページを開くには、ゲートウェイで「onefix page」を実行し、表示されたリンクを開いてください。",
        vi: "Để mở trang này, hãy chạy “onefix page” trên cổng rồi mở liên kết được in ra.",
        zhHans: "要打开此页面，请在网关上运行“onefix page”，然后打开显示的链接。")
    case .linkRefused:
      Texts(
        en: "This link is invalid or has expired. “onefix page” creates a new one.",
        de: "Dieser Link ist ungültig oder abgelaufen. „onefix page“ erzeugt einen neuen.",
        ja: "このリンクは無効か、期限が切れています。「onefix page」で新しいリンクを作れます。",
        vi: "Liên kết này không hợp lệ hoặc đã hết hạn. “onefix page” tạo liên kết mới.",
        zhHans: "此链接无效或已失效。“onefix page”可生成新的链接。")
    case .sessionOver:
      Texts(
        en: "The session has ended. “onefix page” creates a new link.",
        de: "Die Sitzung ist zu Ende. „onefix page“ erzeugt einen neuen Link.",
        ja: "セッションが終了しました。「onefix page」で新しいリンクを作れます。", vi: "Phiên đã kết thúc. “onefix page” tạo liên kết mới.",
        zhHans: "会话已结束。“onefix page”可生成新的链接。")
    case .connecting:
      Texts(en: "Connecting …", de: "Verbindet …", ja: "接続しています…", vi: "Đang kết nối …", zhHans: "正在连接…")
    case .connected: Texts(en: "Connected", de: "Verbunden", ja: "接続済み", vi: "Đã kết nối", zhHans: "已连接")
    case .lost:
      Texts(
        en: "The gateway does not answer; trying again …", de: "Das Gateway antwortet nicht; neuer Versuch …",
        ja: "ゲートウェイが応答しません。再試行しています…", vi: "Cổng không trả lời; đang thử lại …", zhHans: "网关没有响应，正在重试…")
    case .failed:
      Texts(
        en: "The action failed. Please try again.", de: "Die Aktion ist fehlgeschlagen. Bitte noch einmal versuchen.",
        ja: "うまくいきませんでした。もう一度お試しください。", vi: "Không thực hiện được. Hãy thử lại.", zhHans: "操作没有成功，请再试一次。")
    case .leave: Texts(en: "Leave", de: "Verlassen", ja: "終了", vi: "Rời trang", zhHans: "离开")
    case .questions: Texts(en: "Questions", de: "Fragen", ja: "質問", vi: "Câu hỏi", zhHans: "提问")
    case .state: Texts(en: "Status", de: "Zustand", ja: "状態", vi: "Tình trạng", zhHans: "状态")
    case .lockNow: Texts(en: "Lock now", de: "Jetzt sperren", ja: "今すぐロック", vi: "Khóa ngay", zhHans: "立即锁定")
    case .lockMeans:
      Texts(
        en: "Stops all sharing immediately; nothing is shared until the button is held.",
        de: "Beendet jedes Teilen sofort; nichts wird geteilt, bis der Knopf gehalten wird.",
        ja: "すべてを直ちに終了します。ボタンを長押しするまで何も渡しません。", vi: "Chấm dứt mọi thứ ngay; không cung cấp gì cho đến khi giữ nút.",
        zhHans: "立即结束一切；在长按按钮之前不提供任何位置。")
    case .apps: Texts(en: "Apps", de: "Apps", ja: "アプリ", vi: "Ứng dụng", zhHans: "应用")
    case .apply: Texts(en: "Apply", de: "Übernehmen", ja: "適用", vi: "Áp dụng", zhHans: "应用更改")
    case .entries: Texts(en: "Entries", de: "Einträge", ja: "件数", vi: "Số mục", zhHans: "条目数")
    case .report:
      Texts(
        en: "Privacy report", de: "Bericht zum Datenschutz", ja: "プライバシーレポート", vi: "Báo cáo quyền riêng tư",
        zhHans: "隐私报告")
    case .showReport:
      Texts(en: "Show the report", de: "Bericht zeigen", ja: "レポートを表示", vi: "Hiện báo cáo", zhHans: "显示报告")
    case .news: Texts(en: "Notifications", de: "Meldungen", ja: "お知らせ", vi: "Tin mới", zhHans: "消息")
    case .noPosition:
      Texts(
        en: "No position is shown on this page.", de: "Auf dieser Seite steht keine Position.", ja: "このページに位置は表示されません。",
        vi: "Trang này không hiển thị vị trí nào.", zhHans: "此页面不显示任何位置。")
    }
  }
}
