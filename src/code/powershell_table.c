/*
 * The table of cmdlets, aliases and methods of .NET. See powershell.h.
 *
 * Parameters of a row: a digit before a name is its position (9: all further words), "!" after it marks a
 * switch, "=k" gives the kind of the value:
 *   r  read
 *   w  write
 *   d  delete
 *   W  write below (an archive)
 *   D  destination of a copy
 *   n  new name beside the source
 *   e  run as a script
 *   u  URL
 *   h  another machine
 *   c  PowerShell text
 *   b  script block
 *   g  program
 *   a  its arguments
 *   t  directory to change to
 *   M  name of a member to call: not followed
 *   o  no effect, the default
 *
 * The common parameters (-ErrorAction, -Verbose, ...) need not be listed.
 */
#include <strings.h>

#include "code/powershell.h"

#define PATHS(k) \
	"0Path=" k " LiteralPath=" k " PSPath=" k " LP=" k " Filter Include Exclude Force! Credential "
#define CONTENT "1Value=o Encoding NoNewline! AsByteStream! Stream PassThru! NoClobber! Append! "
#define WEB \
	"0Uri=u Method Headers Body Form ContentType UseBasicParsing! TimeoutSec UserAgent WebSession " \
			"SessionVariable MaximumRedirection Credential Authentication Token " \
	"SkipCertificateCheck! AllowUnencryptedAuthentication! PassThru! Proxy=h ProxyCredential " \
			"DisableKeepAlive! MaximumRetryCount RetryIntervalSec HttpVersion " \
			"SkipHttpErrorCheck! " \
	"StatusCodeVariable ResponseHeadersVariable FollowRelLink! MaximumFollowRelLink CustomMethod " \
			"NoProxy! Resume! InFile=r OutFile=w "

static const struct ps_cmdlet cmdlets[] = {
	/* files */
	{"Remove-Item", PATHS("d") "Recurse! Stream", 'd', 'n', 0},
	{"Set-Content", PATHS("w") CONTENT, 0, 'i', 0},
	{"Add-Content", PATHS("w") CONTENT, 0, 'i', 0},
	{"Clear-Content", PATHS("w") "Stream", 'w', 'n', 0},
	{"Out-File", "0FilePath=w LiteralPath=w Path=w PSPath=w LP=w 1Encoding Append! Force! NoClobber! "
			"NoNewline! Width InputObject", 0, 'n', 0},
	{"Tee-Object", "0FilePath=w LiteralPath=w Append! Variable InputObject Encoding", 0, 'i', 0},
	{"Copy-Item", PATHS("r") "1Destination=D Recurse! Container! PassThru! FromSession=h ToSession=h",
			'r', 0, 0},
	{"Move-Item", PATHS("d") "1Destination=D PassThru!", 'd', 0, 0},
	{"Rename-Item", PATHS("d") "1NewName=n PassThru!", 'd', 0, 0},
	{"New-Item", "0Path=w Name ItemType Type Value Target Force! Credential", 0, 'p', 0},
	{"mkdir", "0Path=w Name ItemType Target Value Force! Credential 9more=w", 0, 'p', 0},
	{"Clear-Item", PATHS("w"), 'w', 'n', 0},
	{"Set-Item", PATHS("w") "1Value PassThru!", 'w', 'n', 0},
	{"Set-ItemProperty", PATHS("w") "1Name 2Value Type PropertyType PassThru! InputObject", 'w', 'n', 0},
	{"New-ItemProperty", PATHS("w") "1Name Value PropertyType Type", 'w', 'n', 0},
	{"Remove-ItemProperty", PATHS("w") "1Name", 'w', 'n', 0},
	{"Clear-ItemProperty", PATHS("w") "1Name", 'w', 'n', 0},
	{"Copy-ItemProperty", PATHS("r") "1Destination=w 2Name", 'r', 'n', 0},
	{"Move-ItemProperty", PATHS("w") "1Destination=w 2Name", 'w', 'n', 0},
	{"Set-Acl", PATHS("w") "1AclObject InputObject", 'w', 'n', MARKER_ELEVATION},
	{"Unblock-File", PATHS("w"), 'w', 'n', MARKER_ELEVATION},
	{"Compress-Archive",
			"0Path=r LiteralPath=r PSPath=r 1DestinationPath=w CompressionLevel Update! Force! "
			"PassThru!", 'r', 0, 0},
	{"Expand-Archive", "0Path=r LiteralPath=r PSPath=r 1DestinationPath=W Force! PassThru!", 'r', 0, 0},
	{"Export-Csv", "0Path=w LiteralPath=w 1Delimiter NoTypeInformation! NoClobber! Encoding Append! "
			"Force! UseCulture! InputObject UseQuotes QuoteFields IncludeTypeInformation! "
			"NoHeader!", 0, 'n', 0},
	{"Export-Clixml", "0Path=w LiteralPath=w Depth Encoding Force! NoClobber! InputObject", 0, 'n', 0},
	{"Start-Transcript",
			"0Path=w LiteralPath=w OutputDirectory=w Append! Force! NoClobber! "
			"IncludeInvocationHeader! UseMinimalHeader!", 0, 'd', 0},
	{"Get-Content",
			PATHS("r") "TotalCount Head First Tail Last Wait! Raw! Encoding Delimiter ReadCount "
			"AsByteStream! Stream", 'r', 'd', 0},
	{"Get-ChildItem",
			"0Path=r LiteralPath=r PSPath=r LP=r 1Filter Include Exclude Recurse! s! Depth "
			"Force! Name! File! Directory! ad! af! ah! Hidden! ReadOnly! System! Attributes "
			"FollowSymlink!", 'r', 'p', 0},
	{"Get-Item", PATHS("r") "Stream", 'r', 'p', 0},
	{"Get-ItemProperty", PATHS("r") "1Name", 'r', 'd', 0},
	{"Get-ItemPropertyValue", PATHS("r") "1Name", 'r', 'd', 0},
	{"Get-Acl", PATHS("r") "Audit!", 'r', 'd', 0},
	{"Get-FileHash", "0Path=r LiteralPath=r Algorithm InputStream", 'r', 'd', 0},
	{"Select-String",
			"0Pattern 1Path=r LiteralPath=r SimpleMatch! CaseSensitive! Quiet! List! Include "
			"Exclude NotMatch! AllMatches! Encoding Context InputObject Raw! NoEmphasis! "
			"Culture", 0, 'd', 0},
	{"Import-Csv", "0Path=r LiteralPath=r 1Delimiter Header Encoding UseCulture!", 'r', 'd', 0},
	{"Import-PowerShellDataFile", "0Path=r LiteralPath=r SkipLimitCheck!", 'r', 'd', 0},
	{"Resolve-Path", PATHS("o") "Relative! RelativeBasePath", 'o', 'p', 0},
	{"Convert-Path", PATHS("o"), 'o', 'p', 0},
	{"Test-Path", PATHS("o") "PathType IsValid! OlderThan NewerThan", 'o', 'd', 0},
	{"Split-Path", "0Path LiteralPath Parent! Leaf! LeafBase! Extension! Qualifier! NoQualifier! "
			"IsAbsolute! Resolve! Credential", 'o', 'd', 0},
	{"Join-Path", "0Path 1ChildPath 2AdditionalChildPath Resolve! Credential 9more", 'o', 'j', 0},
	{"Set-Location", "0Path=t LiteralPath=t PSPath=t PassThru! StackName", 't', 'n', 0},
	{"Push-Location", "0Path=t LiteralPath=t PSPath=t PassThru! StackName", 't', 'n', 0},
	{"Pop-Location", "PassThru! StackName", 0, 'n', 0},
	{"New-TemporaryFile", "", 0, 'T', 0},
	/* code and programs */
	{"Invoke-Expression", "0Command=c", 'c', 0, 0},
	{"Invoke-Command",
			"0ScriptBlock=b Command=b FilePath=e ComputerName=h Cn=h Session=h HostName=h "
			"UserName KeyFilePath Credential ArgumentList InputObject AsJob! JobName "
			"ThrottleLimit NoNewScope! Port "
	 "UseSSL! VMName=h ContainerId=h Authentication HideComputerName! SSHConnection=h ConfigurationName "
	 "ConnectionUri=h RunAsAdministrator!", 0, 0, 0},
	{"Start-Job", "0ScriptBlock=b Command=b FilePath=e LiteralPath=e Name InitializationScript=b "
			"ArgumentList InputObject Credential WorkingDirectory PSVersion RunAs32! "
			"Authentication", 0, 'd', 0},
	{"Start-ThreadJob",
			"0ScriptBlock=b FilePath=e Name InitializationScript=b ArgumentList InputObject "
			"ThrottleLimit StreamingHost", 0, 'd', 0},
	{"Start-Process",
			"0FilePath=g PSPath=g Path=g 1ArgumentList=a Args=a Verb WorkingDirectory "
			"NoNewWindow! nnw! Wait! PassThru! WindowStyle Credential=h "
			"RedirectStandardOutput=w RSO=w RedirectStandardError=w RSE=w "
	 "RedirectStandardInput=r RSI=r UseNewEnvironment! LoadUserProfile! lup! Environment", 0, 'd', 0},
	{"Invoke-Item", PATHS("e"), 'e', 0, 0},
	{"Register-ObjectEvent",
			"0InputObject 1EventName 2SourceIdentifier 3Action=b MessageData SupportEvent! "
			"Forward! MaxTriggerCount", 0, 0, MARKER_PERSISTENCE},
	{"Register-EngineEvent",
			"0SourceIdentifier 1Action=b MessageData SupportEvent! Forward! MaxTriggerCount", 0,
			0, MARKER_PERSISTENCE},
	{"Register-WmiEvent", "0Class 1SourceIdentifier 2Action=b Query Namespace ComputerName=h", 0, 0,
			MARKER_PERSISTENCE},
	{"Register-CimIndicationEvent",
			"0ClassName 1SourceIdentifier 2Action=b Query Namespace ComputerName=h", 0, 0,
			MARKER_PERSISTENCE},
	{"Import-Module",
			"0Name=e Force! PassThru! Global! Scope MinimumVersion RequiredVersion "
			"MaximumVersion Prefix DisableNameChecking! Function Cmdlet Variable Alias "
			"ArgumentList NoClobber! SkipEditionCheck! "
	 "UseWindowsPowerShell! PSSession=h CimSession=h", 'e', 'n', 0},
	{"ForEach-Object",
			"0Process=b Begin=b End=b RemainingScripts=b 9more=b Parallel=b ThrottleLimit "
			"TimeoutSeconds AsJob! InputObject MemberName=M ArgumentList UseNewRunspace!", 0, 'B',
			0},
	{"Where-Object",
			"0FilterScript=b 0Property 1Value InputObject EQ! NE! GT! GE! LT! LE! Like! "
			"NotLike! Match! NotMatch! Contains! NotContains! In! NotIn! Is! IsNot! Not! CEQ! "
			"CNE! CMatch! CLike! CContains! IEQ! IMatch! ILike! 9more",
	 0, 'i', 0},
	{"Measure-Command", "0Expression=b InputObject", 0, 'd', 0},
	{"Trace-Command", "0Name 1Expression=b Option PSHost! FilePath=w Command ArgumentList", 0, 0,
			MARKER_COMMAND},
	/* network */
	{"Invoke-WebRequest", WEB, 0, 'f', 0},
	{"Invoke-RestMethod", WEB, 0, 'f', 0},
	{"Start-BitsTransfer",
			"0Source=u 1Destination=w DisplayName Description Priority TransferType "
			"Asynchronous! Credential Authentication", 0, 'n', 0},
	{"Test-Connection",
			"0TargetName=h 0ComputerName=h Count Quiet! Ping! TcpPort TimeoutSeconds Delay "
			"IPv4! IPv6! Repeat! Traceroute! ResolveDestination! Detailed!", 0, 'd', 0},
	{"Test-NetConnection", "0ComputerName=h Port 1CommonTCPPort TraceRoute! InformationLevel", 0, 'd',
			0},
	{"Resolve-DnsName", "0Name=h 1Type Server=h", 0, 'd', 0},
	{"Send-MailMessage",
			"0To 1Subject 2Body 3SmtpServer=h From Attachments=r Cc Bcc Priority UseSsl! Port "
			"Credential BodyAsHtml! Encoding", 0, 'n', 0},
	{"Enter-PSSession", "0ComputerName=h 0Session=h HostName=h UserName Credential", 0, 0, 0},
	{"New-PSSession", "0ComputerName=h HostName=h UserName Credential Name Port UseSSL! KeyFilePath", 0,
			0, 0},
	{"Install-Module",
			"0Name=h Force! Scope Repository RequiredVersion MinimumVersion MaximumVersion "
			"AllowClobber! SkipPublisherCheck! AcceptLicense! AllowPrerelease! PassThru! "
			"Credential", 0, 'n', MARKER_PERSISTENCE},
	{"Install-PSResource",
			"0Name=h Version Repository Scope TrustRepository! Reinstall! Quiet! AcceptLicense! "
			"Prerelease!", 0, 'n', MARKER_PERSISTENCE},
	{"Install-Script", "0Name=h Force! Scope Repository RequiredVersion", 0, 'n', MARKER_PERSISTENCE},
	{"Install-Package", "0Name=h Force! Scope Source ProviderName RequiredVersion", 0, 'n',
			MARKER_PERSISTENCE},
	{"Update-Module", "0Name=h Force!", 0, 'n', MARKER_PERSISTENCE},
	{"Find-Module", "0Name=h Repository", 0, 'd', 0},
	{"Save-Module", "0Name=h Path=w LiteralPath=w Repository RequiredVersion Force!", 0, 'n', 0},
	{"Update-Help", "0Module=h Force! UICulture", 0, 'n', 0},
};

/* Cmdlets with a fixed category, whatever their words are. Script blocks in the words are walked. */
static const struct {
	char names[512];
	enum marker say;
} categories[] = {
	{"Format-Volume Clear-Disk Initialize-Disk Remove-Partition New-Partition Resize-Partition Set-Disk "
			"Set-Partition Repair-Volume Clear-Tpm Remove-VirtualDisk Remove-StoragePool "
			"Reset-PhysicalDisk", MARKER_DESTRUCTION},
	{"Register-ScheduledTask Register-ScheduledJob New-ScheduledTask Set-ScheduledTask New-JobTrigger "
			"Add-JobTrigger Enable-ScheduledTask Start-ScheduledTask New-Service Set-Service "
			"Set-WmiInstance New-CimInstance "
	 "Set-CimInstance Enable-PSRemoting Register-PSSessionConfiguration Set-PSSessionConfiguration "
	 "Set-PSReadLineOption Register-PSRepository Set-PSRepository Unregister-ScheduledTask "
	 "Disable-ScheduledTask", MARKER_PERSISTENCE},
	{"Set-ExecutionPolicy New-LocalUser Add-LocalGroupMember Set-LocalUser Enable-LocalUser "
			"Remove-LocalUser Remove-LocalGroupMember Enable-WindowsOptionalFeature "
			"Disable-WindowsOptionalFeature Add-ADGroupMember "
	 "Set-ADUser New-ADUser Set-ADAccountPassword Grant-SmbShareAccess New-SmbShare Import-Certificate "
	 "Import-PfxCertificate Enable-LocalAdministrator Set-AuthenticodeSignature", MARKER_ELEVATION},
	{"Set-MpPreference Add-MpPreference Remove-MpPreference Disable-NetFirewallRule "
			"Set-NetFirewallProfile New-NetFirewallRule Remove-NetFirewallRule "
			"Set-NetFirewallRule Uninstall-WindowsFeature Disable-BitLocker "
	 "Remove-MpThreat Clear-EventLog Remove-EventLog Limit-EventLog Stop-Computer Restart-Computer "
	 "Disable-ComputerRestore Remove-ComputerRestorePoint Clear-RecycleBin "
	 "Reset-ComputerMachinePassword", MARKER_PROTECTIONS},
	{"Stop-Process Stop-Service Start-Service Restart-Service Suspend-Service Resume-Service "
			"Remove-Service Set-Date Set-TimeZone Rename-Computer Set-NetIPAddress "
			"New-NetIPAddress Set-DnsClientServerAddress "
	 "Restart-NetAdapter Disable-NetAdapter Enable-NetAdapter Remove-Printer Uninstall-Module "
	 "Uninstall-Package Uninstall-PSResource Invoke-CimMethod Invoke-WmiMethod Remove-CimInstance "
	 "Remove-WmiObject Dismount-VHD Mount-VHD Mount-DiskImage Dismount-DiskImage Wait-Debugger "
	 "Debug-Process", MARKER_SYSTEM_CHANGE},
	{"Add-Type Set-Alias New-Alias Import-Alias Update-TypeData Update-FormatData Invoke-History "
			"Set-PSBreakpoint Invoke-WSManAction New-Module Import-PSSession "
			"Export-ModuleMember Remove-Alias "
	 "Connect-PSSession Receive-PSSession Enter-PSHostProcess Switch-Process New-PSDrive Import-Clixml "
	 "Invoke-ScheduledTask Use-Transaction Start-DscConfiguration Invoke-DscResource", MARKER_COMMAND},
};

/* Cmdlets without effect outside; their output is data. Their script blocks are walked. */
static const char harmless[] =
	"Get-Date Get-Location Get-Process Get-Service Get-Command Get-Help Get-Member Get-Module Get-Alias "
	"Get-Variable Get-Host Get-Random Get-SecureRandom Get-Unique Get-History Get-PSDrive "
	"Get-PSProvider "
	"Get-Culture Get-UICulture Get-TimeZone Get-Uptime Get-ComputerInfo Get-EventLog Get-WinEvent "
	"Get-CimInstance Get-WmiObject Get-CimClass Get-NetIPAddress Get-NetIPConfiguration "
	"Get-NetTCPConnection "
	"Get-NetAdapter Get-NetRoute Get-Disk Get-Volume Get-Partition Get-PhysicalDisk Get-HotFix "
	"Get-Package Get-InstalledModule Get-PSRepository Get-ExecutionPolicy Get-Verb Get-TypeData "
	"Get-FormatData "
	"Get-Error Get-Job Get-Runspace Get-Event Get-EventSubscriber Get-PSCallStack Get-PSBreakpoint "
	"Get-TraceSource Get-Clipboard Get-LocalUser Get-LocalGroup Get-LocalGroupMember Get-MpPreference "
	"Get-MpComputerStatus Get-ScheduledTask Get-ScheduledTaskInfo Get-NetFirewallRule "
	"Get-NetFirewallProfile Get-Printer Get-AuthenticodeSignature Get-PSReadLineOption "
	"Get-PfxCertificate Get-Counter "
	"Select-Object Sort-Object Group-Object Measure-Object Compare-Object Select-Xml New-TimeSpan "
	"New-Guid New-Variable Set-Variable Clear-Variable Remove-Variable Set-StrictMode "
	"Format-Table Format-List Format-Wide Format-Custom Out-String Out-Null Out-Host Out-Default "
	"Out-GridView Write-Output Write-Host Write-Error Write-Warning Write-Verbose Write-Debug "
	"Write-Information Write-Progress ConvertTo-Json ConvertFrom-Json ConvertTo-Csv ConvertFrom-Csv "
	"ConvertTo-Xml ConvertTo-Html ConvertFrom-StringData ConvertTo-SecureString "
	"ConvertFrom-SecureString "
	"ConvertFrom-Markdown Test-Json Start-Sleep Wait-Job Receive-Job Remove-Job Stop-Job Wait-Process "
	"Wait-Event Read-Host Clear-Host Clear-History Add-Member Join-String "
	"Stop-Transcript Set-Clipboard Remove-Event Unregister-Event Remove-Module Set-PSDebug Clear-Error "
	"New-TemporaryFile_ Get-PSSession "
	"Remove-PSSession Disconnect-PSSession Remove-TypeData Get-Credential Get-DnsClientServerAddress "
	"Get-DnsClientCache ConvertTo-CliXml Write-Log_";

static const struct {
	char alias[8], name[24];
} aliases[] = {
	{"rm", "Remove-Item"}, {"del", "Remove-Item"}, {"erase", "Remove-Item"}, {"rd", "Remove-Item"},
	{"ri", "Remove-Item"}, {"rmdir", "Remove-Item"},
	{"cp", "Copy-Item"}, {"copy", "Copy-Item"}, {"cpi", "Copy-Item"}, {"mv", "Move-Item"},
	{"move", "Move-Item"}, {"mi", "Move-Item"},
	{"ren", "Rename-Item"}, {"rni", "Rename-Item"}, {"cat", "Get-Content"}, {"type", "Get-Content"},
	{"gc", "Get-Content"},
	{"ls", "Get-ChildItem"}, {"dir", "Get-ChildItem"}, {"gci", "Get-ChildItem"}, {"gi", "Get-Item"},
	{"gp", "Get-ItemProperty"}, {"gpv", "Get-ItemPropertyValue"},
	{"iwr", "Invoke-WebRequest"}, {"curl", "Invoke-WebRequest"}, {"wget", "Invoke-WebRequest"},
	{"irm", "Invoke-RestMethod"}, {"iex", "Invoke-Expression"}, {"icm", "Invoke-Command"},
	{"saps", "Start-Process"}, {"start", "Start-Process"}, {"sajb", "Start-Job"}, {"ii", "Invoke-Item"},
	{"sc", "Set-Content"}, {"ac", "Add-Content"}, {"clc", "Clear-Content"},
	{"ni", "New-Item"}, {"md", "mkdir"}, {"si", "Set-Item"}, {"sp", "Set-ItemProperty"},
	{"cli", "Clear-Item"}, {"clp", "Clear-ItemProperty"}, {"rp", "Remove-ItemProperty"},
	{"cpp", "Copy-ItemProperty"}, {"mp", "Move-ItemProperty"}, {"cd", "Set-Location"},
	{"chdir", "Set-Location"}, {"sl", "Set-Location"}, {"pushd", "Push-Location"},
	{"popd", "Pop-Location"},
	{"echo", "Write-Output"}, {"write", "Write-Output"}, {"%", "ForEach-Object"},
	{"foreach", "ForEach-Object"}, {"?", "Where-Object"}, {"where", "Where-Object"},
	{"select", "Select-Object"}, {"sort", "Sort-Object"}, {"group", "Group-Object"},
	{"measure", "Measure-Object"}, {"diff", "Compare-Object"}, {"compare", "Compare-Object"},
	{"tee", "Tee-Object"},
	{"ft", "Format-Table"}, {"fl", "Format-List"}, {"fw", "Format-Wide"}, {"fc", "Format-Custom"},
	{"oh", "Out-Host"}, {"ogv", "Out-GridView"}, {"sls", "Select-String"},
	{"gm", "Get-Member"}, {"gcm", "Get-Command"}, {"gal", "Get-Alias"}, {"gps", "Get-Process"},
	{"ps", "Get-Process"}, {"gsv", "Get-Service"}, {"gl", "Get-Location"}, {"pwd", "Get-Location"},
	{"gu", "Get-Unique"}, {"gv", "Get-Variable"}, {"gmo", "Get-Module"}, {"gdr", "Get-PSDrive"},
	{"ghy", "Get-History"}, {"h", "Get-History"}, {"history", "Get-History"}, {"gjb", "Get-Job"},
	{"gcim", "Get-CimInstance"}, {"gwmi", "Get-WmiObject"}, {"gin", "Get-ComputerInfo"},
	{"gerr", "Get-Error"}, {"gcb", "Get-Clipboard"}, {"scb", "Set-Clipboard"},
	{"kill", "Stop-Process"}, {"spps", "Stop-Process"}, {"sasv", "Start-Service"},
	{"spsv", "Stop-Service"}, {"sleep", "Start-Sleep"}, {"cls", "Clear-Host"}, {"clear", "Clear-Host"},
	{"sal", "Set-Alias"}, {"nal", "New-Alias"}, {"sv", "Set-Variable"}, {"set", "Set-Variable"},
	{"nv", "New-Variable"}, {"clv", "Clear-Variable"}, {"rv", "Remove-Variable"},
	{"ipmo", "Import-Module"}, {"rmo", "Remove-Module"}, {"ipcsv", "Import-Csv"}, {"epcsv", "Export-Csv"},
	{"rvpa", "Resolve-Path"}, {"cvpa", "Convert-Path"}, {"icim", "Invoke-CimMethod"},
	{"iwmi", "Invoke-WmiMethod"}, {"swmi", "Set-WmiInstance"}, {"ihy", "Invoke-History"},
	{"r", "Invoke-History"}, {"nsn", "New-PSSession"}, {"etsn", "Enter-PSSession"}, {"wjb", "Wait-Job"},
	{"rcjb", "Receive-Job"}, {"rjb", "Remove-Job"}, {"spjb", "Stop-Job"}, {"man", "Get-Help"},
	{"help", "Get-Help"}, {"mount", "New-PSDrive"}, {"ndr", "New-PSDrive"}, {"shcm", "Show-Command"},
	{"fhx", "Format-Hex"}, {"lp", "Out-Printer"}, {"trcm", "Trace-Command"}, {"asnp", "Add-PSSnapin"},
	{"ise", "powershell_ise.exe"}, {"nmo", "New-Module"}, {"ipal", "Import-Alias"}, {"more", "Out-Host"},
};

const char *ps_alias(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (str_is_like(name, aliases[i].alias))
			return aliases[i].name;
	return NULL;
}

bool ps_unix_alias(struct str name)
{
	return str_like_any(name,
			"rm rmdir cp mv cat ls curl wget sort diff tee ps kill sleep clear man mount echo "
			"pwd mkdir start compare more select");
}

const struct ps_cmdlet *ps_cmdlet(struct str name)
{
	static const struct ps_cmdlet quiet = {.out = 'd'}, object = {.out = 'i'};
	static const struct ps_cmdlet said[] = {{.say = MARKER_DESTRUCTION}, {.say = MARKER_PERSISTENCE},
			{.say = MARKER_ELEVATION}, {.say = MARKER_PROTECTIONS}, {.say = MARKER_SYSTEM_CHANGE},
			{.say = MARKER_COMMAND}};

	for (size_t i = 0; i < ARRAY_SIZE(cmdlets); i++)
		if (str_is_like(name, cmdlets[i].name))
			return &cmdlets[i];
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (str_like_any(name, categories[i].names))
			return &said[i];
	if (str_like_any(name, "Sort-Object Select-Object Get-Unique Group-Object Write-Output Out-String"))
		return &object;
	return str_like_any(name, harmless) ? &quiet : NULL;
}

/* ---- .NET ---- */

static const struct ps_static statics[] = {
	{"IO.File", "ReadAllText ReadAllLines ReadAllBytes ReadLines OpenText OpenRead", "r", 'd'},
	{"IO.File", "Exists GetLastWriteTime GetCreationTime GetAttributes", "", 'd'},
	{"IO.File", "WriteAllText", "w", 'd'}, {"IO.File", "WriteAllLines", "w", 'd'},
	{"IO.File", "WriteAllBytes", "w", 'd'}, {"IO.File", "AppendAllText", "w", 'd'},
	{"IO.File", "AppendAllLines", "w", 'd'},
	{"IO.File", "Create", "w", 0}, {"IO.File", "CreateText", "w", 0}, {"IO.File", "AppendText", "w", 0},
	{"IO.File", "OpenWrite", "w", 0}, {"IO.File", "SetLastWriteTime", "w", 'd'},
	{"IO.File", "SetAttributes", "w", 'd'},
	{"IO.File", "Delete", "d", 'd'}, {"IO.File", "Copy", "rw", 'd'}, {"IO.File", "Move", "dw", 'd'},
	{"IO.File", "Replace", "dww", 'd'},
	{"IO.Directory",
			"Exists GetFiles GetDirectories EnumerateFiles EnumerateDirectories "
			"GetFileSystemEntries GetCurrentDirectory GetParent", "", 'd'},
	{"IO.Directory", "CreateDirectory", "w", 'd'}, {"IO.Directory", "Delete", "D", 'd'},
	{"IO.Directory", "Move", "Dw", 'd'},
	{"IO.Compression.ZipFile", "ExtractToDirectory", "rW", 'd'},
	{"IO.Compression.ZipFile", "CreateFromDirectory", "rw", 'd'},
	{"IO.Path", "GetFileName GetFileNameWithoutExtension GetExtension GetDirectoryName GetFullPath "
			"GetTempPath GetRandomFileName ChangeExtension HasExtension IsPathRooted "
			"GetRelativePath GetInvalidFileNameChars GetInvalidPathChars", "", 'd'},
	{"Convert", "FromBase64String FromHexString", "", 'e'},
	{"Text.Encoding", "GetEncoding", "", 'd'},
	{"ScriptBlock", "Create", "c", 0},
	{"Environment",
			"GetEnvironmentVariable GetEnvironmentVariables GetFolderPath GetCommandLineArgs "
			"Exit ExpandEnvironmentVariables", "", 'd'},
	{"Console", "WriteLine Write ReadLine ReadKey Clear Beep ResetColor", "", 'd'},
	{"DateTime", "Parse ParseExact TryParse FromFileTime SpecifyKind DaysInMonth IsLeapYear Compare", "",
			'd'},
	{"DateTimeOffset", "Parse FromUnixTimeSeconds FromUnixTimeMilliseconds", "", 'd'},
	{"TimeSpan", "Parse FromSeconds FromMinutes FromHours FromDays FromMilliseconds", "", 'd'},
	{"Guid", "NewGuid Parse", "", 'd'},
	{"Regex", "Replace Match Matches IsMatch Escape Unescape Split", "", 'd'},
	{"Text.RegularExpressions.Regex", "Replace Match Matches IsMatch Escape Unescape Split", "", 'd'},
	{"Version", "Parse TryParse", "", 'd'},
	{"Uri", "EscapeDataString UnescapeDataString IsWellFormedUriString EscapeUriString", "", 'd'},
	{"Web.HttpUtility", "UrlEncode UrlDecode HtmlEncode HtmlDecode", "", 'd'},
	{"Net.WebUtility", "UrlEncode UrlDecode HtmlEncode HtmlDecode", "", 'd'},
	{"Math", "*", "", 'd'}, {"string", "*", "", 'd'}, {"String", "*", "", 'd'}, {"int", "*", "", 'd'},
	{"int32", "*", "", 'd'}, {"int64", "*", "", 'd'}, {"long", "*", "", 'd'}, {"double", "*", "", 'd'},
	{"decimal", "*", "", 'd'},
	{"bool", "*", "", 'd'}, {"char", "*", "", 'd'}, {"byte", "*", "", 'd'},
	{"BitConverter", "*", "", 'd'}, {"BigInt", "*", "", 'd'}, {"Numerics.BigInteger", "*", "", 'd'},
	{"Linq.Enumerable", "Range Repeat Sum", "", 'd'},
	{"Diagnostics.Stopwatch", "StartNew GetTimestamp", "", 'd'}, {"Net.Dns", "GetHostName", "", 'd'},
	{"Security.Cryptography.SHA256", "Create", "", 'd'}, {"Security.Cryptography.MD5", "Create", "", 'd'},
	{"array", "IndexOf LastIndexOf BinarySearch Empty", "", 'd'},
};

const struct ps_static *ps_static(struct str type, struct str method)
{
	for (size_t i = 0; i < ARRAY_SIZE(statics); i++)
		if (str_is_like(type, statics[i].type) &&
				(statics[i].method[0] == '*' || str_like_any(method, statics[i].method)))
			return &statics[i];
	return NULL;
}

bool ps_method_harmless(struct str name, enum ps_kind kind)
{
	static const char any[] =
		"ToString Trim TrimStart TrimEnd Split ToLower ToUpper ToLowerInvariant ToUpperInvariant "
		"Substring Contains StartsWith EndsWith IndexOf LastIndexOf PadLeft PadRight Insert "
		"Remove RemoveAt Add AddRange "
		"AddDays AddHours AddMinutes AddSeconds AddMonths AddYears AddMilliseconds Subtract "
		"ContainsKey ContainsValue Equals GetType CompareTo ToArray Sort Reverse GetEnumerator "
		"Match Matches IsMatch Append "
		"AppendLine AppendFormat ToUniversalTime ToLocalTime GetHashCode ToCharArray GetString "
		"GetBytes ToShortDateString ToLongDateString ToUnixTimeSeconds ComputeHash IndexOfAny "
		"Push Pop Peek Enqueue "
		"Dequeue TryGetValue GetEnumerator Count Format Normalize IsNullOrEmpty ToList Get_Item "
		"Elapsed";

	return str_like_any(name, any) ||
			(str_like_any(name, "Replace Clear Join") &&
			(kind == PS_TEXT || kind == PS_DATA || kind == PS_FETCHED || kind == PS_DECODED ||
			kind == PS_LIST));
}

/* True for types whose casts and static properties have no effect. */
bool ps_type_harmless(struct str name)
{
	return str_like_any(name,
			"int int16 int32 int64 long uint32 uint64 double float single decimal bool boolean "
			"char byte string array hashtable ordered pscustomobject psobject object datetime "
			"DateTimeOffset timespan version "
		"guid regex xml uri math void nullable switch int[] string[] object[] byte[] char[] "
		"double[] bigint Numerics.BigInteger Text.Encoding Environment Console IO.Path "
		"IO.SearchOption StringComparison "
		"StringSplitOptions Text.UTF8Encoding Collections.ArrayList Globalization.CultureInfo "
		"Security.SecureString ConsoleColor DayOfWeek Text.Encoding]::UTF8 semver mailaddress "
		"ipaddress "
		"Net.ServicePointManager Net.SecurityProtocolType "
		"Runtime.InteropServices.RuntimeInformation Runtime.InteropServices.OSPlatform Parameter "
		"CmdletBinding ValidateSet Diagnostics.Stopwatch CultureInfo "
		"Collections.Generic.List[string] Collections.Generic.List[object] "
		"Collections.Generic.List[int] Collections.Hashtable Text.StringBuilder");
}
